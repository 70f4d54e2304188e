// Refunds the payer in full or in part: POST …/escrow/refund. Funds that are already released cannot be refunded.
import type { Static } from "@sinclair/typebox";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { formatAmount } from "#core/money.ts";
import type { Call } from "../http/request-context.ts";
import { parseRequestAmount } from "../payment-intents/amount.ts";
import { requireNotOrphaned } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { EscrowUpdate, RefundBody } from "./schemas.ts";

function requireRefundable(view: IntentView): void {
  requireNotOrphaned(view);
  const { order, terms, facts } = view;
  if (!order) throw invalidStatus("The escrow order is not funded. Cancel the payment intent instead.");
  const status = ORDER_STATUSES[order.status];
  if (status === "AwaitingSettlement" || status === "Completed" || status === "Cancelled") {
    throw invalidStatus(`An order in status ${status} cannot be refunded.`);
  }
  if (status === "Disputed" || order.proven) {
    throw invalidStatus(
      "After a valid proof or during a dispute, only the merchant's own account can refund, by calling the contract's refund().",
    );
  }
  const locked = RELEASE_TYPES[terms.releaseType] === "TIME_LOCKED" && status !== "Created";
  if (locked && facts.now >= terms.timeLockUntil) {
    throw invalidStatus(
      "The time lock of this shipped order has expired. Only the merchant's own account can refund, by calling the contract's refund().",
    );
  }
}

/** Returns the amount to refund in the smallest unit. By default, this is the full remaining amount. */
function amountToRefund({ order, terms, intent }: IntentView, asked: string | undefined): bigint {
  const rest = terms.amount - (order?.released ?? 0n) - (order?.refunded ?? 0n);
  if (asked === undefined) return rest;
  const amount = parseRequestAmount(asked, intent.currency);
  if (amount <= rest) return amount;
  throw invalidRequest(
    `Invalid amount: at most ${formatAmount(rest, intent.currency)} ${intent.currency} can be refunded.`,
    "amount",
  );
}

/** @throws ServiceError 400 if the refunded amount differs from the amount that the caller has read */
function requireRefunded({ order, intent }: IntentView, known: string | undefined): void {
  if (known === undefined) return;
  const units = /[1-9]/.test(known) ? parseRequestAmount(known, intent.currency, "refundedAmount") : 0n;
  const refunded = order?.refunded ?? 0n;
  if (units === refunded) return;
  throw invalidStatus(
    `Invalid refundedAmount: ${formatAmount(refunded, intent.currency)} ${intent.currency} of this order has been refunded, not ${known}. Retrieve the order again.`,
  );
}

export async function refundEscrow(
  services: Services,
  call: Call,
  body: Static<typeof RefundBody>,
): Promise<Static<typeof EscrowUpdate>> {
  const view = await findOwnEscrow(services, call);
  const { amount, refundedAmount } = body;
  const require = (present: IntentView) => {
    requireRefundable(present);
    requireRefunded(present, refundedAmount);
  };
  require(view);
  return relayOperation(services, call, view, {
    purpose: "refund",
    functionName: "refund",
    args: [amountToRefund(view, amount)],
    require,
    answer: { object: "conditional_payment", status: "refunded" },
  });
}
