// The next attempt of payouts that failed for good. The provider has said that no money arrived, so another attempt, with
// a reference of its own, can pay nothing twice.
import { desc, eq } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { payout } from "../db/schema/payouts.ts";
import type { Deployment } from "../deployment.ts";
import { type IntentId, newId } from "../ids.ts";
import { payoutReference } from "../payout-reference.ts";
import { dueNow } from "./due-now.ts";

/**
 * The next attempt of every payout whose latest attempt failed or came back. The caller has locked the intent's row.
 * @returns the ids of the new attempts
 */
export async function tryPayoutsAgain(
  tx: Transaction,
  deployment: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  intentId: IntentId,
): Promise<string[]> {
  const latest = await tx
    .selectDistinctOn([payout.settlementId, payout.part])
    .from(payout)
    .where(eq(payout.intentId, intentId))
    .orderBy(payout.settlementId, payout.part, desc(payout.attempt));
  const failed = latest.filter(({ state }) => state === "failed" || state === "returned");
  if (failed.length === 0) return [];
  const rows = await tx
    .insert(payout)
    .values(
      failed.map(({ settlementId, part, settlementTxHash, settlementBlock, attempt, ...row }) => ({
        id: newId("payout"),
        reference: payoutReference(deployment, { settlementId, part, attempt: attempt + 1 }),
        intentId,
        settlementId,
        part,
        settlementTxHash,
        settlementBlock,
        settledAt: row.settledAt,
        settlementAmount: row.settlementAmount,
        attempt: attempt + 1,
        method: row.method,
        destination: row.destination,
        amount: row.amount,
        currency: row.currency,
        ...dueNow,
      })),
    )
    .returning({ id: payout.id });
  return rows.map(({ id }) => id);
}
