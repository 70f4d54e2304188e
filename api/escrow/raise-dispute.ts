// Raises a dispute (spec, operation 8), which pauses releases until the dispute is resolved or its window ends.
// A merchant's API key raises the merchant's dispute. A dispute of the payer requires the payer's signature or
// transaction.
import type { Static } from "@sinclair/typebox";
import { getAddress, isAddressEqual } from "viem";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import type { OrderRow } from "#core/db/chain.ts";
import { disputeRaiser } from "#core/db/schema/intents.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { decodeRevertName, signatureRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import { requireFunded } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { chooseWindow, disputeWindows } from "./dispute-window.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { DisputeBody, DisputeEnvelope } from "./schemas.ts";

type Body = Static<typeof DisputeBody>;

/** Values of the contract's `Side` enum. */
const SIDE = { payer: 0, merchant: 1 } as const;
type Side = keyof typeof SIDE;

/** Whether a party can already end the order with its own call, which a dispute would block (contracts/README.md). */
function hasVestedExit({ order, terms, facts }: IntentView & { order: OrderRow }): boolean {
  const type = RELEASE_TYPES[terms.releaseType];
  const late = facts.now > order.deliveryDeadline;
  const status = ORDER_STATUSES[order.status];
  if (type === "TIME_LOCKED" && status !== "Created" && facts.now >= terms.timeLockUntil) return true;
  if (!order.proven) return late;
  return type === "MILESTONE_LOCKED" || (late && type !== "TIME_LOCKED");
}

const requireDisputable =
  (side: Side) =>
  (view: IntentView): void => {
    const order = requireFunded(view, "It can be disputed once it is funded.");
    const status = ORDER_STATUSES[order.status];
    const raised = side === "payer" ? order.disputedByPayer : order.disputedByMerchant;
    if (status === "Disputed" || raised) {
      throw invalidRequest("A dispute has already been raised for this escrow order.");
    }
    if (status === "AwaitingSettlement" || status === "Completed" || status === "Cancelled") {
      throw invalidStatus(`An order in status ${status} cannot be disputed.`);
    }
    if (hasVestedExit({ ...view, order })) {
      throw invalidStatus(
        "One of the parties can already claim this order's funds, so it can no longer be disputed.",
      );
    }
  };

function requireParty({ order, terms }: IntentView, raisedBy: `0x${string}`): void {
  const parties = [terms.payee, ...(order ? [order.payer] : [])];
  if (!parties.some((party) => isAddressEqual(party, raisedBy))) {
    throw invalidRequest("Invalid raisedBy: expected the payer or the merchant's account.", "raisedBy");
  }
}

/** A dispute that the payer signed is the payer's. Any other dispute counts as the merchant's. */
function chooseSide({ order }: IntentView, { raisedBy, payerSignature, signatureDeadline }: Body): Side {
  if (payerSignature === undefined && signatureDeadline === undefined) return "merchant";
  if (payerSignature === undefined)
    throw invalidRequest("Missing payerSignature: it is required with signatureDeadline.", "payerSignature");
  if (signatureDeadline === undefined) {
    throw invalidRequest(
      "Missing signatureDeadline: send the deadline that the payer signed, in Unix seconds.",
      "signatureDeadline",
    );
  }
  if (!order || !isAddressEqual(order.payer, raisedBy)) {
    throw invalidRequest(
      "Invalid raisedBy: with payerSignature, it must be the payer's address.",
      "raisedBy",
    );
  }
  return "payer";
}

/** The window was valid at the indexed head, but the chain is ahead of it. */
const windowRefused = (error: unknown) =>
  decodeRevertName(error) === "OutOfRange"
    ? invalidRequest(
        "Invalid disputeWindow: it is too long for the time left until the time lock ends. Request a shorter one.",
        "disputeWindow",
      )
    : undefined;

const payerRefused = signatureRefused(
  "The payerSignature is not the payer's signature over this order's Dispute (reason, window, deadline).",
  "payerSignature",
);

export async function raiseDispute(
  services: Services,
  call: Call,
  body: Body,
): Promise<Static<typeof DisputeEnvelope>> {
  const view = await findOwnEscrow(services, call);
  const { reason, raisedBy, disputeWindow, payerSignature, signatureDeadline } = body;
  const side = chooseSide(view, body);
  const requireOpen = requireDisputable(side);
  requireOpen(view);
  requireParty(view, raisedBy);
  const window = chooseWindow(disputeWindow, disputeWindows(side, view, services.config));
  return relayOperation(services, call, view, {
    purpose: "raise_dispute",
    ...(side === "payer"
      ? {
          functionName: "raiseDisputeFor",
          args: [window, reason, BigInt(signatureDeadline ?? 0), payerSignature],
          refused: payerRefused,
        }
      : { functionName: "raiseDispute", args: [window, reason], refused: windowRefused }),
    require: (current) => {
      requireOpen(current);
      // The window may have become too long while the request waited for the row lock.
      chooseWindow(window, disputeWindows(side, current, services.config));
    },
    answer: async (tx) => {
      const named = { raisedBy: getAddress(raisedBy) };
      await tx
        .insert(disputeRaiser)
        .values({ merchantId: view.intent.merchantId, intentId: view.intent.id, side: SIDE[side], ...named })
        // The row may exist from an earlier attempt whose transaction was dropped.
        .onConflictDoUpdate({
          target: [disputeRaiser.intentId, disputeRaiser.side, disputeRaiser.merchantId],
          set: named,
        });
      return { object: "dispute", status: "raised" } as const;
    },
  });
}
