// An event as the merchant sees it, byte for byte the same in GET /v1/events and in webhooks. Its row contains the
// changeable fields of its object; the other fields come from the intent.
import { and, eq } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import { restoreTerms } from "../chain/terms.ts";
import type { Config } from "../config/config.ts";
import { deployment } from "../db/schema/deployments.ts";
import { event } from "../db/schema/events.ts";
import { intent } from "../db/schema/intents.ts";
import type { IntentRow } from "../intent/read-intent.ts";
import { showFixedEscrowData } from "../intent/show-escrow.ts";
import { type OrderLocation, showFixedIntentData, showFixedMetadata } from "../intent/show-intent.ts";
import type { EventObject } from "../model/event-data.ts";
import { toUnixSeconds } from "../model/unix-time.ts";
import type { EventRow } from "./record-events.ts";

/** An event with its intent and the intent's deployment. Both are null if the event does not concern an intent. */
export type EventReading = {
  event: EventRow;
  intent: IntentRow | null;
  deployment: { chainId: number; contract: Address } | null;
};

/** The columns of an event query, which joins the intent by `isIntentOfEvent` and the intent's deployment. */
export const EVENT_READING = {
  event,
  intent,
  deployment: { chainId: deployment.chainId, contract: deployment.contract },
};

export const isIntentOfEvent = and(eq(intent.id, event.intentId), eq(intent.merchantId, event.merchantId));

export type ShownWith = Pick<Config, "paymentPageUrl">;

function showFixedData({ object }: EventObject, intent: IntentRow, place: OrderLocation, config: ShownWith) {
  switch (object) {
    case "payment_intent":
      return showFixedIntentData(intent, place, config);
    case "conditional_payment":
      return showFixedEscrowData(intent, place.contract);
    default:
      return {};
  }
}

function showObject({ event: row, intent, deployment }: EventReading, config: ShownWith): EventObject {
  const { object } = row.data;
  if (!intent || !deployment) return object;
  const place = { id: deployment.chainId, contract: getAddress(deployment.contract) };
  const metadata =
    object.object === "payout"
      ? row.metadata
      : { ...row.metadata, ...showFixedMetadata(restoreTerms(intent.terms)) };
  return { ...showFixedData(object, intent, place, config), ...object, metadata };
}

export const showEvent = (reading: EventReading, config: ShownWith) => {
  const { event: row } = reading;
  return {
    id: row.id,
    object: "event" as const,
    type: row.type,
    created: toUnixSeconds(row.createdAt),
    livemode: row.mode === "live",
    paymentIntentId: row.intentId,
    sequence: row.sequence,
    data: { ...row.data, object: showObject(reading, config) },
  };
};
