// Stores a reconciliation's run: findings are stored after every page, so that any process can resume an interrupted
// run at the next page.
import { randomUUID } from "node:crypto";
import { and, asc, eq, gt, inArray, lt, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "#core/db/client.ts";
import { insertMany } from "#core/db/insert-many.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import {
  reconciliationFinding,
  reconciliationRun,
  reconciliationSeal,
  reconciliationTransfer,
  type Seal,
} from "#core/db/schema/reconciliation-runs.ts";
import { DEEPEST_REORG } from "#core/indexer-state/high-water-mark.ts";
import type { Discrepancy, Finding, Subject } from "./discrepancy.ts";
import type { Dependencies, Scope } from "./scope.ts";

/** Lease of a run: a process that has not stored a page for this long has died. */
const LEASE_MS = 600_000;
/**
 * Every transaction that is older than this has ended: statements and idle transactions time out within 30 seconds
 * (core/db/client.ts).
 */
const LONGEST_TRANSACTION_MS = 300_000;
const DAY_MS = 86_400_000;
/** Maximum age at which a bank may still return a transfer; older transfers are no longer compared. */
export const OLDEST_TRANSFER_MS = 60 * DAY_MS;
/** Number of findings that are compared again at a time. */
const FINDINGS = 200;
/** Number of rows that are deleted at a time. */
const SLICE = 10_000;

const worker = randomUUID();

export type StoredRun = Omit<typeof reconciliationRun.$inferSelect, "worker" | "leasedUntil">;
export type RunPosition = { stage: string; cursor: unknown };
export type StoredFinding = Finding & { id: number };

const leasedUntil = sql`clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'`;

const insertFindings = insertMany(reconciliationFinding, [
  "runId",
  "kind",
  "about",
  "says",
  "token",
  "stake",
  "identity",
  "subject",
  "confirmed",
]);

/** Another process has resumed the run, because this one took too long for a page. */
export class RunLost extends Error {
  override readonly name = "RunLost";
}

export async function readSeal(
  tx: Pick<Database, "select">,
  deploymentId: number,
): Promise<Seal | undefined> {
  const [row] = await tx
    .select({ seal: reconciliationSeal.seal })
    .from(reconciliationSeal)
    .where(eq(reconciliationSeal.deploymentId, deploymentId));
  return row?.seal;
}

/** Returns the seal for an incremental reconciliation without a predecessor. */
export const nothingSealed = (): Seal => ({
  block: 0,
  payoutsUpdatedAt: new Date(0).toISOString(),
  transfersSince: new Date(Date.now() - OLDEST_TRANSFER_MS).toISOString(),
  foreign: null,
});

/** Returns the seal that covers all facts that no reorg, transaction or return window can still change. */
async function nextSeal(tx: Transaction, { deployment: current, config }: Dependencies): Promise<Seal> {
  const [row] = await tx
    .select({
      block: sql<string>`greatest(0, ${deployment.ledgerBlock} - ${DEEPEST_REORG})`,
      now: sql<Date>`clock_timestamp()`.mapWith(payout.createdAt),
      // Every payout that was created before this time has ended.
      oldestOpen:
        sql<Date | null>`(select min(${payout.createdAt}) from ${payout} where ${payout.nextAttemptAt} is not null)`.mapWith(
          payout.createdAt,
        ),
    })
    .from(deployment)
    .where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment is not in the database.");
  const now = row.now.getTime();
  const over = Math.min(now - config.returnWindow * 1_000, row.oldestOpen?.getTime() ?? now);
  return {
    block: Number(row.block),
    payoutsUpdatedAt: new Date(now - LONGEST_TRANSACTION_MS).toISOString(),
    transfersSince: new Date(Math.max(over, now - OLDEST_TRANSFER_MS)).toISOString(),
    foreign: null,
  };
}

/**
 * Stores a new run. @param name the name by which an interrupted run is resumed; a run without a name is never resumed
 */
export async function beginRun(
  tx: Transaction,
  parts: Dependencies,
  { merchantId, since, sealed }: Scope,
  name?: string,
): Promise<StoredRun> {
  // No process will resume these runs.
  await tx
    .delete(reconciliationRun)
    .where(
      and(
        lt(reconciliationRun.createdAt, sql`clock_timestamp() - interval '1 day'`),
        lt(reconciliationRun.leasedUntil, sql`clock_timestamp()`),
      ),
    );
  const [run] = await tx
    .insert(reconciliationRun)
    .values({
      deploymentId: parts.deployment.id,
      name,
      merchantId,
      since,
      sealed,
      target: await nextSeal(tx, parts),
      worker,
      leasedUntil,
    })
    .returning();
  if (!run) throw new Error("The reconciliation run was not stored.");
  return run;
}

/**
 * Takes over an interrupted run.
 * @returns undefined if there is none; `taken` if another process is executing it
 */
export async function resumeRun(
  tx: Transaction,
  { deployment: current }: Pick<Dependencies, "deployment">,
  name: string,
  youngerThanMs: number,
): Promise<StoredRun | "taken" | undefined> {
  const found = and(
    eq(reconciliationRun.name, name),
    eq(reconciliationRun.deploymentId, current.id),
    or(
      gt(reconciliationRun.createdAt, sql`clock_timestamp() - ${youngerThanMs} * interval '1 millisecond'`),
      gt(reconciliationRun.leasedUntil, sql`clock_timestamp()`),
    ),
  );
  const [open] = await tx
    .select({
      id: reconciliationRun.id,
      isTaken: sql<boolean>`${reconciliationRun.leasedUntil} > clock_timestamp()`,
    })
    .from(reconciliationRun)
    .where(found)
    .orderBy(asc(reconciliationRun.leasedUntil))
    .limit(1)
    .for("update");
  if (!open) return undefined;
  if (open.isTaken) return "taken";
  const [run] = await tx
    .update(reconciliationRun)
    .set({ worker, leasedUntil })
    .where(eq(reconciliationRun.id, open.id))
    .returning();
  return run;
}

const mine = ({ id }: Pick<StoredRun, "id">) =>
  and(eq(reconciliationRun.id, id), eq(reconciliationRun.worker, worker));

/**
 * Stores a page: its findings, its other writes, and the start of the next page.
 * @returns the database's time
 * @throws RunLost
 */
export const storePage = (
  database: Database,
  run: StoredRun,
  { stage, cursor }: RunPosition,
  found: readonly Finding[],
  write?: (tx: Transaction) => Promise<unknown>,
): Promise<Date> =>
  database.transaction(async (tx) => {
    const [still] = await tx
      .update(reconciliationRun)
      .set({ stage, cursor, leasedUntil })
      .where(mine(run))
      .returning({ now: sql<Date>`clock_timestamp()`.mapWith(reconciliationRun.createdAt) });
    if (!still) throw new RunLost("Another process has taken over this reconciliation.");
    await write?.(tx);
    await addFindings(tx, run, found, false);
    return still.now;
  });

async function addFindings(
  tx: Transaction,
  run: StoredRun,
  found: readonly Finding[],
  confirmed: boolean,
): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ kind, about, says, token, stake, identity, subject }) => ({
    ...{ runId: run.id, kind, about, says, token: token ?? null, subject, confirmed },
    ...{ stake: stake ?? null, identity },
  }));
  await tx.execute(sql`${insertFindings(rows)} on conflict do nothing`);
}

/**
 * Reads some findings of one check that were not compared a second time, in the order in which they were stored. For
 * the contract and wallets checks it reads all findings, because each comparison covers everything.
 */
export async function readUnconfirmed(database: Database, run: StoredRun): Promise<StoredFinding[]> {
  const f = alias(reconciliationFinding, "f");
  const { rows } = await database.execute<StoredFinding>(sql`
    with first as (
      select ${f.subject} ->> 'check' as chosen from ${reconciliationFinding} f
      where ${f.runId} = ${run.id} and not ${f.confirmed} order by ${f.id} limit 1)
    select ${f.id}::int8 as id, ${f.kind}, ${f.about}, ${f.says}, ${f.token}, ${f.subject}
    from ${reconciliationFinding} f, first
    where ${f.runId} = ${run.id} and not ${f.confirmed} and ${f.subject} ->> 'check' = first.chosen
    order by ${f.id} limit case when (select chosen from first) in ('contract', 'wallets') then null else ${FINDINGS}::int end`);
  return rows.map(({ id, token, ...row }) => ({ ...row, id: Number(id), ...(token ? { token } : {}) }));
}

/** Replaces the compared findings with those of the second comparison. */
export async function confirm(
  database: Database,
  run: StoredRun,
  compared: readonly StoredFinding[],
  found: readonly Finding[],
): Promise<void> {
  const ids = compared.map(({ id }) => id);
  await database.transaction(async (tx) => {
    await tx.delete(reconciliationFinding).where(inArray(reconciliationFinding.id, ids));
    await addFindings(tx, run, found, true);
  });
}

export async function readFindings(database: Database, run: StoredRun): Promise<Discrepancy[]> {
  const rows = await database
    .select()
    .from(reconciliationFinding)
    .where(eq(reconciliationFinding.runId, run.id))
    .orderBy(reconciliationFinding.id);
  return rows.map(({ kind, about, says, token, stake, identity }) => ({
    ...{ kind: kind as Discrepancy["kind"], about, says, identity },
    ...(stake ? { stake } : {}),
    ...(token ? { token: token as NonNullable<Discrepancy["token"]> } : {}),
  }));
}

/** Lets another process resume the run immediately. */
export async function releaseRun(database: Database, run: StoredRun): Promise<void> {
  await database
    .update(reconciliationRun)
    .set({ leasedUntil: new Date(0) })
    .where(mine(run));
}

/** Removes the listed transfers, which only the comparison needed. */
export async function forgetTransfers(database: Database, run: StoredRun): Promise<void> {
  const { runId, account, reference } = reconciliationTransfer;
  const key = sql`${runId}, ${account}, ${reference}`;
  const slice = sql`select ${key} from ${reconciliationTransfer} where ${runId} = ${run.id} limit ${SLICE}`;
  for (;;) {
    const { rowCount } = await database.delete(reconciliationTransfer).where(sql`(${key}) in (${slice})`);
    if ((rowCount ?? 0) < SLICE) return;
  }
}

export async function endRun(tx: Pick<Database, "delete">, run: StoredRun): Promise<void> {
  await tx.delete(reconciliationRun).where(eq(reconciliationRun.id, run.id));
}

/**
 * Seals the run's scope, so that incremental runs do not read it again. Only called if the run found no open
 * difference.
 */
export async function sealRun(tx: Transaction, { deploymentId, target }: StoredRun): Promise<void> {
  const seal = { deploymentId, seal: target };
  await tx
    .insert(reconciliationSeal)
    .values(seal)
    .onConflictDoUpdate({
      target: reconciliationSeal.deploymentId,
      set: { ...seal, sealedAt: sql`clock_timestamp()` },
    });
}

/** Returns the subjects of one check among the findings. */
export const pickSubjects = <C extends Subject["check"]>(
  found: readonly Pick<Finding, "subject">[],
  check: C,
): Extract<Subject, { check: C }>[] =>
  found.map(({ subject }) => subject).filter((subject) => subject.check === check) as Extract<
    Subject,
    { check: C }
  >[];
