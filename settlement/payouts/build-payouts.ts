// Builds the first payout attempts of an on-chain settlement, or of the amount of it that no payout covers yet, one for
// each of its parts.
import type * as chain from "#core/db/chain.ts";
import { newId } from "#core/ids.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import type { Context } from "../runtime/context.ts";
import type { Uncovered } from "./find-uncovered.ts";
import { joinUnpayable, splitSettlement } from "./settlement-parts.ts";

export type UnpaidSettlement = {
  intent: IntentRow;
  settlement: typeof chain.settlement.$inferSelect;
  uncovered: Uncovered;
  /** The amounts of the order's milestone releases, in order. */
  milestones: string[];
};

export function buildPayouts(
  { config, deployment }: Pick<Context, "config" | "deployment">,
  { intent, settlement, uncovered, milestones }: UnpaidSettlement,
) {
  const { settlementMethod: method, currency } = intent;
  const isPayable = (amount: bigint) => findAmountProblem(config, { method, currency, amount }) === undefined;
  const shared = { intentId: intent.id, settlementNumber: settlement.number };
  const amounts = joinUnpayable(splitSettlement(uncovered, milestones.map(BigInt)), isPayable);
  return amounts.map((amount, index) => ({
    ...shared,
    id: newId("payout"),
    part: uncovered.firstPart + index,
    reference: payoutReference(deployment, { ...shared, part: uncovered.firstPart + index, attempt: 1 }),
    settlementTxHash: settlement.txHash,
    settlementBlock: settlement.block,
    settledAt: new Date(settlement.settledAt * 1_000),
    settlementAmount: settlement.amount,
    attempt: 1,
    method,
    destination: intent.settlementDestination,
    amount,
    currency,
  }));
}
