// Follows the relayer's transactions until each is final: finds receipts, notices what a reorg took back,
// broadcasts again, and replaces what is stuck with a higher fee.
import { and, asc, eq, inArray } from "drizzle-orm";
import { type Hex, TransactionReceiptNotFoundError } from "viem";
import { type TransactionState, transaction, transactionAttempt } from "../db/schema.ts";
import type { Relayer } from "./relayer.ts";

type Row = typeof transaction.$inferSelect;
type Attempt = typeof transactionAttempt.$inferSelect;
type Outcome = Pick<Row, "state" | "succeeded" | "blockNumber" | "minedHash">;

const PENDING: Outcome = { state: "pending", succeeded: null, blockNumber: null, minedHash: null };

async function receiptOf(relayer: Relayer, hash: Hex) {
  try {
    return await relayer.client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

async function outcomeOf(
  relayer: Relayer,
  row: Row,
  attempts: Attempt[],
  tip: bigint,
  confirmations: number,
) {
  for (const { hash } of attempts) {
    const receipt = await receiptOf(relayer, hash);
    if (!receipt) continue;
    const deep = tip - receipt.blockNumber + 1n >= BigInt(confirmations);
    const state: TransactionState = deep ? "final" : "mined";
    return {
      state,
      succeeded: receipt.status === "success",
      blockNumber: Number(receipt.blockNumber),
      minedHash: hash,
    } satisfies Outcome;
  }
  // None is in a block, yet the nonce was used, deeply: another transaction took it.
  const deepBlock = tip - BigInt(confirmations) + 1n;
  if (deepBlock > 0n) {
    const used = await relayer.client.getTransactionCount({ address: row.signer, blockNumber: deepBlock });
    if (used > row.nonce) return { ...PENDING, state: "dropped" } satisfies Outcome;
  }
  return PENDING;
}

/** Looks at every transaction that is not final yet. Safe to repeat, and to run in several processes. */
export async function resolveTransactions(
  relayer: Relayer,
  options: { confirmations: number; stuckAfterMs: number; now?: () => number },
): Promise<void> {
  const { database, deployment } = relayer;
  const now = options.now ?? Date.now;
  const rows = await database
    .select()
    .from(transaction)
    .where(
      and(
        eq(transaction.deploymentId, deployment.id),
        eq(transaction.signer, relayer.account.address),
        inArray(transaction.state, ["pending", "mined"]),
      ),
    )
    .orderBy(asc(transaction.nonce));
  if (rows.length === 0) return;
  const tip = await relayer.client.getBlockNumber({ cacheTime: 0 });
  const attemptsOf = Map.groupBy(
    await database
      .select()
      .from(transactionAttempt)
      .where(
        inArray(
          transactionAttempt.transactionId,
          rows.map((row) => row.id),
        ),
      )
      .orderBy(asc(transactionAttempt.createdAt)),
    (attempt) => attempt.transactionId,
  );
  for (const row of rows) {
    const attempts = attemptsOf.get(row.id) ?? [];
    const outcome = await outcomeOf(relayer, row, attempts, tip, options.confirmations);
    if (
      outcome.state !== row.state ||
      outcome.minedHash !== row.minedHash ||
      outcome.blockNumber !== row.blockNumber
    ) {
      await database
        .update(transaction)
        .set({ ...outcome, updatedAt: new Date(now()) })
        .where(and(eq(transaction.id, row.id), eq(transaction.state, row.state)));
    }
    const latest = attempts.at(-1);
    if (outcome.state !== "pending" || !latest) continue;
    const stuck = now() - latest.createdAt.getTime() > options.stuckAfterMs;
    const next = stuck ? await relayer.replace(row) : { raw: latest.raw, nonce: row.nonce };
    await relayer.broadcast(next);
  }
}
