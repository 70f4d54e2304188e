// Raise a dispute for payer or payee (spec, operation 8): the release pauses until it is resolved or its window ends.
import type { Static } from "@sinclair/typebox";
import { getAddress, isAddressEqual } from "viem";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import { DEFAULT_DISPUTE_WINDOW } from "#core/intent/show-escrow.ts";
import { bodyOf } from "../http/body.ts";
import type { Call, PublicCall } from "../http/call.ts";
import { requireMovable } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import { DisputeBody, type DisputeEnvelope } from "./schemas.ts";

const readBody: (call: PublicCall) => Promise<Static<typeof DisputeBody>> = bodyOf(DisputeBody);

/** The contract's longest window, in seconds. */
const MAX_DISPUTE_WINDOW = 2_592_000;

function windowOf(asked: string | number | undefined, view: IntentView): number {
  const window = Number(asked ?? DEFAULT_DISPUTE_WINDOW);
  const least = view.terms.disputeWindow;
  if (window < least || window > MAX_DISPUTE_WINDOW) {
    throw invalidRequest(
      `Invalid disputeWindow: this payment allows ${least} to ${MAX_DISPUTE_WINDOW} seconds.`,
      "disputeWindow",
    );
  }
  return window;
}

function requireDisputable(view: IntentView): void {
  requireMovable(view);
  const { order } = view;
  if (!order) throw invalidStatus("The escrow order is not funded yet: there is nothing to dispute.");
  if (order.disputeRaisedAt !== null)
    throw invalidRequest("A dispute was raised for this escrow order already.");
  const status = ORDER_STATUSES[order.status];
  if (status === "AwaitingSettlement" || status === "Completed" || status === "Cancelled") {
    throw invalidStatus(`An order in status ${status} cannot be disputed.`);
  }
}

function requireParty({ order, terms }: IntentView, raisedBy: `0x${string}`): void {
  const parties = [terms.payee, ...(order ? [order.payer] : [])];
  if (!parties.some((party) => isAddressEqual(party, raisedBy))) {
    throw invalidRequest("A dispute is raised by the payer or by the merchant's account.", "raisedBy");
  }
}

export async function raiseDispute(services: Services, call: Call): Promise<Static<typeof DisputeEnvelope>> {
  const view = await findOwnEscrow(services, call);
  const { reason, raisedBy, disputeWindow } = await readBody(call);
  requireDisputable(view);
  requireParty(view, raisedBy);
  const window = windowOf(disputeWindow, view);
  return relayOperation(services, call, view, {
    purpose: "raise_dispute",
    functionName: "raiseDispute",
    args: [getAddress(raisedBy), window, reason],
    require: requireDisputable,
    answer: { object: "dispute", status: "raised" },
  });
}
