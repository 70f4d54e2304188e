// Adds the escrow and the settlements to payment intents (`expand[]`). The settlements of a page are read with
// one statement.
import type { Static } from "@sinclair/typebox";
import { and, desc, eq, inArray } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { buildEscrow } from "../../escrow/retrieve-escrow.ts";
import type { Services } from "../../services.ts";
import { showSettlement } from "../../settlements/schemas.ts";
import { buildEnvelope } from "../envelope.ts";
import type { EXPANDABLE, ExpandedIntent } from "./schemas.ts";

type Shown = Static<typeof ExpandedIntent>;
type Expansion = readonly (typeof EXPANDABLE)[number][];

async function readSettlements(
  { database }: Services,
  views: readonly IntentView[],
): Promise<Map<string, NonNullable<Shown["settlements"]>>> {
  const [first] = views;
  if (!first) return new Map();
  const ids = views.map(({ intent }) => intent.id);
  const rows = await database
    .select()
    .from(payout)
    .where(and(inArray(payout.intentId, ids), eq(payout.merchantId, first.intent.merchantId)))
    .orderBy(desc(payout.createdAt), desc(payout.id));
  return Map.groupBy(rows.map(showSettlement), ({ paymentIntentId }) => paymentIntentId);
}

/** @param views intents of one merchant */
export async function showExpanded(
  services: Services,
  views: readonly IntentView[],
  expansion: Expansion = [],
): Promise<Shown[]> {
  const settlements = expansion.includes("settlements") ? await readSettlements(services, views) : undefined;
  return views.map((view) => ({
    ...buildEnvelope(view, services.config),
    ...(expansion.includes("escrow")
      ? { escrow: view.intent.type === "DELIVERY_VS_PAYMENT" ? buildEscrow(view, services.config) : null }
      : {}),
    ...(settlements ? { settlements: settlements.get(view.intent.id) ?? [] } : {}),
  }));
}
