// Maintains the hash chain over the audit log: hashes rows, seals them, and verifies the log. The log's rows are those
// of `audit_log` and `event`, whose positions come from one sequence.
import { createHash } from "node:crypto";
import {
  and,
  asc,
  between,
  desc,
  getTableColumns,
  getTableName,
  gt,
  lte,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { type PgColumn, type PgTable, unionAll } from "drizzle-orm/pg-core";
import { idText, intentIdText, merchantIdText } from "#core/db/as-text.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { auditArchive, auditLog, auditSeal } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";

/** The previous hash of the first seal. */
export const GENESIS = "0".repeat(64);

/** Maximum number of rows per seal. Verification names the changed row, so a seal may be large. */
const ROWS_A_SEAL = 1_000;

export type Seal = typeof auditSeal.$inferSelect;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

type Entry = readonly [name: string, value: SQLWrapper];

const named = <Table extends PgTable>(
  table: Table,
  ...names: (keyof Table["$inferSelect"] & string)[]
): Entry[] => {
  const columns: Record<string, PgColumn> = getTableColumns(table);
  return names.map((name) => [name, columns[name] as PgColumn]);
};

/**
 * The content of a row, serialized by PostgreSQL so that every caller gets the same text for the same row. It starts
 * with the position and the table.
 */
const serialize = (entries: readonly Entry[]) => ({
  columns: entries.map(([name]) => name),
  content: sql<string>`jsonb_build_array(${sql.join(
    entries.map(([, value]) => value),
    sql`, `,
  )})::text`,
});

/** Lists the entries of a row of either table. @param own the entries that only this table has */
const listEntries = (
  table: typeof auditLog | typeof event,
  prefix: "audit" | "evt",
  own: readonly Entry[],
) => [
  ...named(table, "position"),
  ["table", sql.raw(`'${getTableName(table)}'`)] as const,
  ["id", idText(prefix, table.id)] as const,
  ["merchantId", merchantIdText(table.merchantId)] as const,
  ...named(table, "mode", "actorType", "actor"),
  ["intentId", intentIdText(table.intentId)] as const,
  ...named(table, "fromStatus", "toStatus", "metadata"),
  ...own,
  ["createdAt", sql`extract(epoch from ${table.createdAt})`] as const,
];

const LOGGED = serialize(
  listEntries(auditLog, "audit", named(auditLog, "action", "resourceId", "requestId", "changes")),
);
const EMITTED = serialize(
  listEntries(event, "evt", [
    ...named(event, "type", "sequence", "decidedBy"),
    ["data", sql`encode(${event.data}, 'hex')`],
  ]),
);

/** The names of the values in a row's content. `createdAt` is in Unix seconds with microsecond precision. */
export const COLUMNS = LOGGED.columns;
/** The same for events. `data` is packed (core/model/pack-event-data.ts), and written in hexadecimal. */
export const EVENT_COLUMNS = EMITTED.columns;

export type Leaf = { position: number; leaf: string };

/** Builds the leaf of a row, which is part of the hashed text of a seal. @param content the row's `content` */
export const leafFrom = (position: number, content: string): string => `${position}:${sha256(content)}`;

const selectRows = (database: Database | Transaction, first: number, last: number) =>
  database
    .select({ position: auditLog.position, content: LOGGED.content, createdAt: auditLog.createdAt })
    .from(auditLog)
    .where(between(auditLog.position, first, last));

const selectEvents = (database: Database | Transaction, first: number, last: number) =>
  database
    .select({ position: event.position, content: EMITTED.content, createdAt: event.createdAt })
    .from(event)
    .where(between(event.position, first, last));

/** Reads the rows of a range of positions, including both ends. */
export const readRows = (database: Database | Transaction, first: number, last: number) =>
  unionAll(selectRows(database, first, last), selectEvents(database, first, last)).orderBy(
    asc(auditLog.position),
  );

const buildLeaves = (rows: { position: number; content: string }[]): Leaf[] =>
  rows.map(({ position, content: text }) => ({ position, leaf: leafFrom(position, text) }));

const loadLeaves = async (database: Database | Transaction, first: number, last: number): Promise<Leaf[]> =>
  buildLeaves(await readRows(database, first, last));

/** Loads the leaves of the events in a range of positions, including both ends. */
export const loadEventLeaves = async (database: Database, first: number, last: number): Promise<Leaf[]> =>
  buildLeaves(await selectEvents(database, first, last).orderBy(asc(event.position)));

export const hashSeal = (
  seal: Pick<Seal, "previousHash" | "firstPosition" | "lastPosition" | "leaves">,
): string => sha256([seal.previousHash, seal.firstPosition, seal.lastPosition, ...seal.leaves].join("\n"));

type SealEnd = Pick<Seal, "lastPosition" | "hash">;

/** Reads the end of the hash chain, without the leaves of its last seal. */
async function lastSeal(database: Database | Transaction): Promise<SealEnd | undefined> {
  const { lastPosition, hash } = auditSeal;
  const [seal] = await database
    .select({ lastPosition, hash })
    .from(auditSeal)
    .orderBy(desc(auditSeal.id))
    .limit(1);
  return seal;
}

/**
 * Seals every row up to a position. The caller must ensure that no running transaction can still add a row at or below
 * it.
 * @returns the number of sealed rows
 */
export async function sealUpTo(tx: Transaction, settled: number): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.audit_seal', 0))`);
  let previous = await lastSeal(tx);
  let sealed = 0;
  for (;;) {
    const firstPosition = (previous?.lastPosition ?? 0) + 1;
    const end = Math.min(settled, firstPosition + ROWS_A_SEAL - 1);
    if (end < firstPosition) return sealed;
    const leaves = (await loadLeaves(tx, firstPosition, end)).map(({ leaf }) => leaf);
    const link = {
      firstPosition,
      lastPosition: end,
      leaves,
      previousHash: previous?.hash ?? GENESIS,
    };
    [previous] = await tx
      .insert(auditSeal)
      .values({ ...link, hash: hashSeal(link) })
      .returning({ lastPosition: auditSeal.lastPosition, hash: auditSeal.hash });
    sealed += leaves.length;
  }
}

export type Tail = {
  /** The highest position. */
  position: number;
  /**
   * A transaction id above that of every transaction that may have a row at or below `position`; null if there is no
   * row above `sealedTo`.
   */
  transaction: bigint | null;
  /** The oldest running transaction. */
  oldest: bigint;
};

/**
 * Reads the end of the log. Positions and transaction ids are not assigned in the same order, so a newer transaction
 * may have a lower position. Only a transaction id that is assigned now is above all of them; the end of a snapshot is
 * not.
 */
export async function readTail(database: Database | Transaction, sealedTo: number): Promise<Tail> {
  const { rows } = await database.execute<{
    position: string;
    transaction: string | null;
    oldest: string;
  }>(sql`
    with tail as materialized (select coalesce(greatest((select max(${auditLog.position}) from ${auditLog}),
      (select max(${event.position}) from ${event})), 0) as position)
    select position, case when position > ${sealedTo} then pg_current_xact_id()::text end as transaction,
      pg_snapshot_xmin(pg_current_snapshot())::text as oldest from tail`);
  const [row] = rows;
  return {
    position: Number(row?.position ?? 0),
    transaction: row?.transaction ? BigInt(row.transaction) : null,
    oldest: BigInt(row?.oldest ?? 0),
  };
}

export type Verdict = {
  seals: number;
  rows: number;
  /** Segments whose rows were exported to files and deleted here. */
  archived: { segments: number; rows: number };
  /** The first difference from the seals; null if there is none. */
  problem: string | null;
  /** Rows that are not sealed yet, and the time of the oldest. */
  unsealed: { rows: number; since: Date | null };
  /** The last seal's hash. A copy that is stored elsewhere proves that nothing was cut off the end. */
  head: string;
};

/** Returns the difference between the rows and their seal, or null if there is none. */
export function compareWithSeal(seal: Pick<Seal, "id" | "leaves">, found: Leaf[]): string | null {
  // A position has several rows only if somebody wrote positions that did not come from the sequence.
  const sealed = Map.groupBy(seal.leaves, (leaf) => Number(leaf.split(":", 1)[0]));
  for (const { position, leaf } of found) {
    const left = sealed.get(position) ?? [];
    if (left.length === 0)
      return `Row ${position} was added after its position was sealed (seal ${seal.id}).`;
    if (!left.includes(leaf)) return `Row ${position} was changed (seal ${seal.id}).`;
    left.splice(left.indexOf(leaf), 1);
  }
  const missing = [...sealed].find(([, left]) => left.length > 0);
  return missing === undefined ? null : `Row ${missing[0]} was deleted (seal ${seal.id}).`;
}

type Link = { hash: string; lastPosition: number };

/** Reads the archived segments, and reports the first one that does not follow its predecessor. */
async function readArchive(database: Database) {
  const segments = await database.select().from(auditArchive).orderBy(asc(auditArchive.firstPosition));
  let end: Link = { hash: GENESIS, lastPosition: 0 };
  let problem: string | null = null;
  for (const segment of segments) {
    if (segment.previousHash !== end.hash || segment.firstPosition !== end.lastPosition + 1) {
      problem ??= `The archived segment at ${segment.firstPosition} does not follow the previous segment.`;
    }
    end = segment;
  }
  return { segments, end, problem };
}

/**
 * Returns the id of the last seal of a segment. The segment's rows still exist if the command that deletes them was
 * interrupted.
 */
async function lastArchivedSeal(database: Database, { lastPosition }: Link): Promise<number> {
  const [row] = await database
    .select({ id: sql<number | null>`max(${auditSeal.id})::int` })
    .from(auditSeal)
    .where(lte(auditSeal.lastPosition, lastPosition));
  return row?.id ?? 0;
}

/** Returns the first row of `audit_log` in a segment whose rows and seals were deleted. */
async function findRowInDropped(database: Database, { lastPosition }: Link): Promise<string | null> {
  const firstSealed = sql`coalesce((select min(${auditSeal.firstPosition}) from ${auditSeal}), 'infinity'::float8)`;
  const [row] = await database
    .select({ position: sql<number | null>`min(${auditLog.position})::float8` })
    .from(auditLog)
    .where(and(lte(auditLog.position, lastPosition), sql`${auditLog.position} < ${firstSealed}`));
  return row?.position == null ? null : `Row ${row.position} was added to an archived segment.`;
}

async function countUnsealed(database: Database, sealedTo: number): Promise<Verdict["unsealed"]> {
  const since = sql<string | null>`min(created_at)::text`;
  const select = (table: typeof auditLog | typeof event) =>
    database
      .select({ createdAt: table.createdAt })
      .from(table as PgTable)
      .where(gt(table.position, sealedTo));
  const unsealed = unionAll(select(auditLog), select(event)).as("unsealed");
  const [row] = await database.select({ rows: sql<number>`count(*)::int`, since }).from(unsealed);
  return { rows: row?.rows ?? 0, since: row?.since ? new Date(row.since) : null };
}

/**
 * Checks the part of the log that is in the database, seal by seal, from the end of the archive. Events before it are
 * compared only with the archive's files (scripts/cli/audit.ts).
 * @param expectedHead a head that was stored earlier and must still be a link of the hash chain
 * @param isArchivedHead whether the files of the archived segments contain the expected head
 */
export async function verifyChain(
  database: Database,
  expectedHead?: string,
  isArchivedHead = false,
): Promise<Verdict> {
  const { segments, end, problem: archiveProblem } = await readArchive(database);
  let after = await lastArchivedSeal(database, end);
  let previous = end;
  let [seals, rows] = [0, 0];
  let problem = archiveProblem ?? (await findRowInDropped(database, end));
  let isHeadKnown =
    expectedHead === undefined ||
    isArchivedHead ||
    [GENESIS, ...segments.map(({ hash }) => hash)].includes(expectedHead);
  while (!problem) {
    const [seal] = await database
      .select()
      .from(auditSeal)
      .where(gt(auditSeal.id, after))
      .orderBy(asc(auditSeal.id))
      .limit(1);
    if (!seal) break;
    if (seal.previousHash !== previous.hash || seal.firstPosition !== previous.lastPosition + 1) {
      problem = `Seal ${seal.id} does not follow the previous seal: a seal was removed or replaced.`;
    } else if (seal.hash !== hashSeal(seal)) problem = `Seal ${seal.id} was changed.`;
    else problem = compareWithSeal(seal, await loadLeaves(database, seal.firstPosition, seal.lastPosition));
    if (problem) break;
    isHeadKnown ||= seal.hash === expectedHead;
    after = seal.id;
    previous = seal;
    seals++;
    rows += seal.leaves.length;
  }
  problem ??= isHeadKnown
    ? null
    : "The expected head is not in the hash chain: the end of the chain was removed or replaced.";
  const unsealed = await countUnsealed(database, previous.lastPosition);
  return {
    seals,
    rows,
    archived: { segments: segments.length, rows: segments.reduce((sum, one) => sum + one.rows, 0) },
    problem,
    unsealed,
    head: previous.hash,
  };
}
