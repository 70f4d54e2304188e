// Builds the first payout attempts of an on-chain settlement, one for each of its parts.
import type * as chain from "#core/db/chain.ts";
import { newId } from "#core/ids.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import type { Context } from "../runtime/context.ts";
import { joinUnpayable, splitSettlement } from "./settlement-parts.ts";

export type UnpaidSettlement = {
  intent: IntentRow;
  settlement: typeof chain.settlement.$inferSelect;
  /** The total of the order's earlier settlements, in the token's smallest unit. */
  before: string;
  /** The amounts of the order's milestone releases, in order. */
  milestones: string[];
};

export function buildPayouts(
  { config, deployment }: Pick<Context, "config" | "deployment">,
  { intent, settlement, before, milestones }: UnpaidSettlement,
) {
  const taken = { before: BigInt(before), amount: settlement.amount };
  const { settlementMethod: method, currency } = intent;
  const isPayable = (amount: bigint) => findAmountProblem(config, { method, currency, amount }) === undefined;
  const shared = { intentId: intent.id, settlementNumber: settlement.number };
  return joinUnpayable(splitSettlement(taken, milestones.map(BigInt)), isPayable).map((amount, part) => ({
    id: newId("payout"),
    reference: payoutReference(deployment, { ...shared, part, attempt: 1 }),
    ...shared,
    part,
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
