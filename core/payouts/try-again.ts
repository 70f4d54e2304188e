// The next attempt of payouts that failed permanently. The provider has reported that no money arrived, so another
// attempt with its own reference cannot pay twice.
import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { SETTLE_EXTERNALLY } from "../controls/operations.ts";
import type { Transaction } from "../db/client.ts";
import { operation } from "../db/schema/operations.ts";
import { payout } from "../db/schema/payouts.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { type IntentId, newId } from "../ids.ts";
import { dueNow } from "./due-now.ts";
import { payoutReference } from "./payout-reference.ts";

type PayoutRow = typeof payout.$inferSelect;

/** Who bears the fee of a returned payout. */
export type FeeBearer = "merchant" | "gateway";

/**
 * Computes the amount of the attempt after a failed or returned one, which is never below zero. A provider keeps a fee
 * only if the payout was returned. Then either the merchant is paid the rest, or the gateway adds the fee. If the fee
 * exceeds the amount, the merchant bears only the amount, and the excess is the gateway's loss
 * (settlement/ledger/differences.ts).
 */
export function nextAmounts(
  {
    state,
    amount,
    fee,
    deducted,
    covered,
  }: Pick<PayoutRow, "state" | "amount" | "fee" | "deducted" | "covered">,
  bearer: FeeBearer,
): Pick<PayoutRow, "amount" | "deducted" | "covered"> {
  if (state !== "returned") return { amount, deducted, covered };
  if (bearer === "gateway") return { amount, deducted, covered: fee };
  const borne = fee < amount ? fee : amount;
  return { amount: amount - borne, deducted: deducted + borne, covered: 0n };
}

/** Builds the next attempt from the fields that all attempts of a payout share, with the next amounts. */
export function nextAttempt(
  row: PayoutRow,
  deployment: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  bearer: FeeBearer,
) {
  const { intentId, settlementNumber, part, settlementTxHash, settlementBlock, settledAt } = row;
  const { settlementAmount, method, destination, currency } = row;
  const attempt = row.attempt + 1;
  return {
    ...{ intentId, settlementNumber, part, settlementTxHash, settlementBlock, settledAt, settlementAmount },
    ...{ method, destination, currency, attempt, ...nextAmounts(row, bearer) },
    id: newId("payout"),
    reference: payoutReference(deployment, { intentId, settlementNumber, part, attempt }),
  };
}

/** An operator has paid the payout outside the gateway, and a second person has not yet approved or refused that. */
export class SettledExternallyError extends Error {
  override readonly name = "SettledExternallyError";
}

/** @throws SettledExternallyError */
async function requireUndecided(tx: Transaction, ids: string[]): Promise<void> {
  const waits = await tx
    .select({ id: operation.id })
    .from(operation)
    .where(
      and(
        inArray(operation.subject, ids),
        eq(operation.action, SETTLE_EXTERNALLY),
        isNull(operation.outcome),
      ),
    )
    .limit(1);
  if (waits.length > 0) throw new SettledExternallyError("This payout is being settled outside the gateway.");
}

/**
 * Creates the next attempt of every payout whose latest attempt failed or was returned. The caller has locked the
 * intent's row.
 * @returns the ids of the new attempts
 * @throws SettledExternallyError
 */
export async function tryPayoutsAgain(
  tx: Transaction,
  deployment: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  intentId: IntentId,
  bearer: FeeBearer,
): Promise<string[]> {
  const newest = await tx
    .selectDistinctOn([payout.settlementNumber, payout.part], { id: payout.id })
    .from(payout)
    .where(eq(payout.intentId, intentId))
    .orderBy(payout.settlementNumber, payout.part, desc(payout.attempt));
  const newestIds = newest.map(({ id }) => id);
  // The rows are read under a lock, because a worker that queries the provider about one of them (npm run ops --
  // refresh) may be writing its result now.
  const latest = await tx
    .select()
    .from(payout)
    .where(inArray(payout.id, newestIds))
    .orderBy(payout.id)
    .for("update");
  const failed = latest.filter(
    (row) => (row.state === "failed" || row.state === "returned") && nextAmounts(row, bearer).amount > 0n,
  );
  if (failed.length === 0) return [];
  const ids = failed.map(({ id }) => id);
  await requireUndecided(tx, ids);
  // A worker that is still querying the provider about one of these attempts loses its lease, because its result would
  // come too late.
  await tx
    .update(payout)
    .set({ retried: true, nextAttemptAt: null, leasedUntil: null })
    .where(inArray(payout.id, ids));
  const rows = await tx
    .insert(payout)
    .values(failed.map((row) => ({ ...nextAttempt(row, deployment, bearer), ...dueNow })))
    .returning({ id: payout.id });
  return rows.map(({ id }) => id);
}
