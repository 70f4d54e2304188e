// Builds the first payout attempts of the settlements of a payment, one for each part that does not exist yet.
import { newId } from "#core/ids.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import type { Context } from "../runtime/context.ts";
import { splitUncovered, type Uncovered } from "./find-uncovered.ts";
import type { Settlement } from "./payment-parts.ts";
import { joinUnpayable, splitSettlement } from "./settlement-parts.ts";

export type Payment = {
  intent: IntentRow;
  /** The amounts of the order's milestone releases, in order. */
  milestones: string[];
};

export function buildPayouts(
  { config, deployment }: Pick<Context, "config" | "deployment">,
  { intent, milestones }: Payment,
  uncovered: Uncovered<Settlement>,
) {
  const { settlementMethod: method, currency } = intent;
  const isPayable = (amount: bigint) => findAmountProblem(config, { method, currency, amount }) === undefined;
  const amounts = milestones.map(BigInt);
  const { settlement } = uncovered;
  const parts = splitUncovered(uncovered, (range) =>
    joinUnpayable(splitSettlement(range, amounts), isPayable),
  );
  return parts.map(({ part, amount }) => {
    const key = { intentId: intent.id, settlementNumber: settlement.number, part, attempt: 1 };
    return {
      ...key,
      id: newId("payout"),
      reference: payoutReference(deployment, key),
      settlementTxHash: settlement.txHash,
      settlementBlock: settlement.block,
      settledAt: new Date(settlement.settledAt * 1_000),
      settlementAmount: settlement.amount,
      method,
      destination: intent.settlementDestination,
      amount,
      currency,
    };
  });
}
