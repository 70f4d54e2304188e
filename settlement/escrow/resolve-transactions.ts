// Follows the relayer's transactions until each is final: finds receipts, detects transactions that a reorg removed,
// broadcasts pending ones again, and replaces stuck ones with a higher fee. Final transactions are rechecked
// periodically, because a reorg may be deeper than the required confirmations.
import { and, asc, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from "drizzle-orm";
import { isAddressEqual, stringify } from "viem";
import { askChain } from "#core/chain/client.ts";
import { inBatches, inSlices, together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { isDatabaseUnavailable, isLockFailure } from "#core/db/errors.ts";
import { type TransactionState, transaction, transactionAttempt } from "#core/db/schema/transactions.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import type { Relayer } from "#core/relayer/relayer.ts";
import { NotSigned } from "#core/relayer/signer.ts";
import { asError } from "../runtime/as-error.ts";
import { isPassing } from "../runtime/problems.ts";
import { isBlockThere, loadReceipt, type Outcome, PENDING, readOutcome } from "./transaction-outcome.ts";

type Row = typeof transaction.$inferSelect;
type Attempt = typeof transactionAttempt.$inferSelect;
const isSame = (row: Row, outcome: Outcome): boolean =>
  outcome.state === row.state &&
  outcome.succeeded === row.succeeded &&
  outcome.minedHash === row.minedHash &&
  outcome.blockNumber === row.blockNumber &&
  // Transactions that became final before fees or block hashes were stored have none, and are not read again for them.
  (outcome.blockHash === row.blockHash || (row.blockHash === null && row.state === "final")) &&
  (outcome.networkFee === row.networkFee || (row.networkFee === null && row.state === "final"));

const isMined = (state: TransactionState): boolean => state === "mined" || state === "final";

/** Maximum number of writes that fail because of locks, each after the lock timeout. */
const MOST_LOCKED = 3;

type Written = Outcome & { id: string; was: TransactionState };

/** Returns a function that stores the outcome of a transaction, unless another process was faster. */
export const createOutcomeWriter = (database: Pick<Relayer["database"], "execute">) =>
  together(async (written: readonly Written[]) => {
    // No block contains such a transaction any more, which schedules work for all of its orders. Only by itself does it
    // lock their items in the order in which every writer locks items.
    const isReversed = ({ was, state }: Written) => isMined(was) && !isMined(state);
    const errors = new Map<Written, Error>();
    let locked = 0;
    const endsRun = (error: unknown): boolean =>
      isDatabaseUnavailable(error) || (isLockFailure(error) && ++locked > MOST_LOCKED);
    const store = (some: readonly Written[], size: number) =>
      inBatches(
        some,
        size,
        async (batch) => {
          const outcomes = stringify(batch.map(toStoredForm(transaction)));
          await database.execute(sql`select gateway.write_outcomes(${outcomes}::json)`);
        },
        { endsRun, onFailure: (one, error) => errors.set(one, asError(error)) },
      );
    await store(
      written.filter((one) => !isReversed(one)),
      written.length,
    );
    await store(written.filter(isReversed), 1);
    return written.map((one) => errors.get(one));
  });

/** Maximum number of concurrent requests to the chain. */
const AT_ONCE = 20;

/** Delay after which a pending transaction is broadcast again. */
const REBROADCAST_MS = 1_000;

/** How often final transactions are compared with the chain. */
const RECHECK_MS = 5_000;
const RECHECK_PAGE = 20;
/** How long before the last outcome another process has certainly made its last recheck. */
const FIRST_RECHECK_MS = 600_000;
/**
 * How long a corrected outcome is rechecked, however deep it is: a node on another fork may have reported it, and a
 * failover of the database may lose it.
 */
const CORRECTION_MS = 60_000;

/** Returns undefined if the work fails because of single transactions, so that the others are followed, too. */
type Alone = <T>(work: Promise<T>) => Promise<T | undefined>;

/** Whether the error ends a run, because every transaction would have it. */
const isShared = (error: unknown): boolean =>
  isPassing(error) && !(error instanceof NotSigned) && !isLockFailure(error);

export type ResolverOptions = {
  /** Number of blocks, including the transaction's own, after which a transaction is final. */
  confirmations: number;
  stuckAfterMs: number;
  recheckMs?: number;
};

/**
 * Whether the outcome of a transaction may still change without a reorg. `open` is the condition of the index: an open
 * transaction may be resolved, with a fee that is still to be posted.
 */
export const isUnresolved: SQL = sql`(${transaction.open} and not ${transaction.resolved})`;

/** Reads the transactions of all signers that are not final yet, by nonce. */
export const readUnresolved = (database: Pick<Database, "select">, deploymentId: number): Promise<Row[]> =>
  database
    .select()
    .from(transaction)
    .where(and(eq(transaction.deploymentId, deploymentId), isUnresolved))
    .orderBy(asc(transaction.nonce));

/**
 * Creates a check of a signer's transactions that are not final yet.
 * @returns the check, which is safe to repeat, to run in several processes, and to run with rows that have changed
 * since they were read. It throws an error that concerns single transactions after the others are followed
 */
export function createResolver(
  relayer: Relayer,
  options: ResolverOptions,
): (unresolved?: readonly Row[]) => Promise<void> {
  const { database, client, deployment } = relayer;
  const signerAddress = relayer.account.address;
  const lastSent = new Map<string, number>();
  const write = createOutcomeWriter(database);

  const loadAttempts = async (ids: string[]) =>
    Map.groupBy(
      await database
        .select()
        .from(transactionAttempt)
        .where(inArray(transactionAttempt.transactionId, ids))
        .orderBy(asc(transactionAttempt.createdAt)),
      (attempt) => attempt.transactionId,
    );

  async function minedOutcome(attempts: Attempt[], tip: bigint): Promise<Outcome | undefined> {
    for (const { hash } of attempts) {
      const receipt = await loadReceipt(client, hash);
      if (!receipt) continue;
      const deep = tip - receipt.blockNumber + 1n >= BigInt(options.confirmations);
      return readOutcome(receipt, deep ? "final" : "mined");
    }
    return undefined;
  }

  /** Whether another transaction has used the nonce in a confirmed block, and none of our attempts is mined. */
  async function isDropped(row: Row, tip: bigint): Promise<boolean> {
    const deepBlock = tip - BigInt(options.confirmations) + 1n;
    if (deepBlock <= 0n) return false;
    const used = await askChain(() =>
      client.getTransactionCount({ address: row.signer, blockNumber: deepBlock }),
    );
    if (used <= row.nonce) return false;
    // Attempts and receipts are read again: attempts may have been added, and nodes behind one address may differ by a
    // block.
    const attempts = (await loadAttempts([row.id])).get(row.id) ?? [];
    return (await minedOutcome(attempts, tip)) === undefined;
  }

  async function findOutcome(row: Row, attempts: Attempt[], tip: bigint, used: number): Promise<Outcome> {
    const mined = row.nonce < used && (await minedOutcome(attempts, tip));
    if (mined) return mined;
    if (await isBlockThere(client, row, tip)) return row;
    if (row.nonce >= used) return PENDING;
    return (await isDropped(row, tip)) ? { ...PENDING, state: "dropped" } : PENDING;
  }

  /** Reads the tip, the number of used nonces and the rows' attempts, which together decide the outcomes. */
  async function readChain(rows: Row[]) {
    // The tip is read first, so that later responses can only be newer.
    const tip = await askChain(() => client.getBlockNumber({ cacheTime: 0 }));
    const used = await askChain(() => client.getTransactionCount({ address: signerAddress }));
    const attempts = await loadAttempts(rows.map((row) => row.id));
    return { tip, used, attempts };
  }

  const record = async (row: Row, outcome: Outcome): Promise<void> => {
    if (!isSame(row, outcome)) await write({ id: row.id, was: row.state, ...outcome });
  };

  /** @returns whether the chain can be reached */
  async function broadcastAgain(row: Row, latest: Attempt, first: boolean, alone: Alone): Promise<boolean> {
    const stuck = first && Date.now() - latest.createdAt.getTime() > options.stuckAfterMs;
    const next = (stuck ? await alone(relayer.replace(row, options.stuckAfterMs)) : undefined) ?? latest;
    const since = lastSent.get(next.hash) ?? latest.createdAt.getTime();
    const reversed = row.state === "mined";
    if (next.hash === latest.hash && !reversed && Date.now() - since < REBROADCAST_MS) return true;
    lastSent.set(next.hash, Date.now());
    return relayer.send(next.raw);
  }

  /** The database's time when the latest complete recheck began. */
  let recheckedAt: Date | undefined;
  /** The lowest nonce whose outcome was corrected recently, and the time of the latest correction. */
  let corrected = { nonce: Number.POSITIVE_INFINITY, at: 0 };

  /**
   * Checks from the highest nonce back to the first transaction that was final before the last recheck, and still is in
   * the same block: a reorg does not move anything before its fork. One that became final since then may be above the
   * fork, and recently corrected ones are checked anyway. Dropped transactions are included: their nonces may be free
   * again or may never have been used, and no later transaction is mined until such a nonce is used.
   */
  async function recheckEnded(): Promise<void> {
    let below: number | undefined;
    let startedAt: Date | undefined;
    let unmovedBefore = recheckedAt;
    if (performance.now() - corrected.at > CORRECTION_MS) corrected.nonce = Number.POSITIVE_INFINITY;
    for (;;) {
      const rows = await database
        .select({
          ...getTableColumns(transaction),
          now: sql<Date>`clock_timestamp()`.mapWith(transaction.updatedAt),
        })
        .from(transaction)
        .where(
          and(
            eq(transaction.deploymentId, deployment.id),
            eq(transaction.signer, signerAddress),
            inArray(transaction.state, ["final", "dropped"]),
            below === undefined ? undefined : lt(transaction.nonce, below),
          ),
        )
        .orderBy(desc(transaction.nonce))
        .limit(RECHECK_PAGE);
      const [newest] = rows;
      startedAt ??= newest?.now;
      if (!newest) break;
      unmovedBefore ??= new Date(Math.max(...rows.map(({ updatedAt }) => +updatedAt)) - FIRST_RECHECK_MS);
      const { tip, used, attempts } = await readChain(rows);
      for (const row of rows) {
        const outcome = await findOutcome(row, attempts.get(row.id) ?? [], tip, used);
        if (!isSame(row, outcome)) {
          corrected = { nonce: Math.min(row.nonce, corrected.nonce), at: performance.now() };
          await record(row, outcome);
        } else if (row.state === "final" && row.updatedAt < unmovedBefore && row.nonce < corrected.nonce) {
          recheckedAt = startedAt;
          return;
        }
        below = row.nonce;
      }
    }
    recheckedAt = startedAt;
  }

  let recheckAt = 0;

  async function recheck(): Promise<void> {
    if (Date.now() < recheckAt) return;
    await recheckEnded();
    recheckAt = Date.now() + (options.recheckMs ?? RECHECK_MS);
  }

  async function resolve(unresolved: readonly Row[] | undefined, alone: Alone): Promise<void> {
    await alone(recheck());
    const all = unresolved ?? (await readUnresolved(database, deployment.id));
    const rows = all.filter(({ signer }) => isAddressEqual(signer, signerAddress));
    if (rows.length === 0) {
      lastSent.clear();
      return;
    }
    const { tip, used, attempts } = await readChain(rows);
    const pending: Row[] = [];
    for (const some of inSlices(rows, AT_ONCE)) {
      await Promise.all(
        some.map(async (row) => {
          const outcome = await findOutcome(row, attempts.get(row.id) ?? [], tip, used);
          await alone(record(row, outcome));
          if (outcome.state === "pending") pending.push(row);
        }),
      );
    }
    // Sorted by nonce: a node that does not queue transactions refuses one whose predecessor it has not seen.
    pending.sort((a, b) => a.nonce - b.nonce);
    const [first] = pending;
    // A restored database lacks recent nonces, and nodes lack the transactions signed with them.
    if (first && first.nonce > used && Date.now() - first.createdAt.getTime() > options.stuckAfterMs) {
      await alone(relayer.fillGap(used, first.nonce));
    }
    for (const row of pending) {
      const latest = attempts.get(row.id)?.at(-1);
      if (latest && !(await broadcastAgain(row, latest, row === first, alone))) return;
    }
  }

  return async (unresolved) => {
    const failures: unknown[] = [];
    await resolve(unresolved, (work) =>
      work.catch((error: unknown) => {
        if (isShared(error)) throw error;
        failures.push(error);
        return undefined;
      }),
    );
    if (failures.length > 0) throw failures[0];
  };
}
