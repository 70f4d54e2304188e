// Writes a segment of the audit log to a folder, starting after the last archived segment.
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { asc, desc, gte, lte } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { auditArchive, auditSeal } from "#core/db/schema/audit-log.ts";
import {
  compareWithSeal,
  GENESIS,
  leafFrom,
  readRows,
  type Seal,
} from "#settlement/events/audit-hash-chain.ts";
import { UserError } from "../../shared/errors.ts";
import { replaceFile } from "../../shared/replace-file.ts";
import { manifestPath, manifestText, rowsPath, type SealLine, type Segment } from "./manifest.ts";

/** Number of seals read per query: at most twenty thousand rows. */
export const SEALS_AT_ONCE = 20;

const sealLine = ({ id, firstPosition, lastPosition, previousHash, hash }: Seal): string =>
  JSON.stringify({ seal: { id, firstPosition, lastPosition, previousHash, hash } } satisfies SealLine);

/**
 * Yields, in order, the lines of each seal that is older than a given time, up to the first seal with a newer row.
 * Never yields the log's last seal, because the next seal must follow it.
 * @throws UserError if a seal does not follow the previous one, or its rows do not match the seal
 */
async function* sealsBefore(database: Database, before: Date, from: { position: number; hash: string }) {
  let { position, hash } = from;
  for (;;) {
    const page = await database
      .select()
      .from(auditSeal)
      .where(gte(auditSeal.firstPosition, position))
      .orderBy(asc(auditSeal.firstPosition))
      .limit(SEALS_AT_ONCE + 1);
    const seals = page.slice(0, -1);
    const end = seals.at(-1);
    if (!end) return;
    const rows = await readRows(database, position, end.lastPosition);
    let next = 0;
    for (const seal of seals) {
      const begin = next;
      while ((rows[next]?.position ?? Number.POSITIVE_INFINITY) <= seal.lastPosition) next++;
      const own = rows.slice(begin, next);
      const leaves = own.map((row) => ({
        position: row.position,
        leaf: leafFrom(row.position, row.content),
      }));
      if (seal.firstPosition !== position || seal.previousHash !== hash)
        throw new UserError(`Seal ${seal.id} does not follow the previous seal. See: npm run audit verify`);
      const problem = compareWithSeal(seal, leaves);
      if (problem) throw new UserError(`${problem} See: npm run audit verify`);
      if (own.some(({ createdAt }) => createdAt >= before)) return;
      yield { seal, lines: [sealLine(seal), ...own.map(({ content }) => content)] };
      position = seal.lastPosition + 1;
      hash = seal.hash;
    }
  }
}

function syncFolder(folder: string): void {
  const opened = openSync(folder, "r");
  fsyncSync(opened);
  closeSync(opened);
}

/**
 * Exports all seals older than a given time. Repeating the export writes the same files.
 * @returns undefined if there is nothing to export
 */
export async function exportSegment(
  database: Database,
  before: Date,
  folder: string,
): Promise<Segment | undefined> {
  const [last] = await database.select().from(auditArchive).orderBy(desc(auditArchive.lastPosition)).limit(1);
  const from = { position: (last?.lastPosition ?? 0) + 1, hash: last?.hash ?? GENESIS };
  const draft = join(folder, `audit-draft.${process.pid}`);
  const digest = createHash("sha256");
  const segment: Segment = {
    ...{ firstPosition: from.position, lastPosition: from.position - 1, rows: 0, seals: 0 },
    ...{ previousHash: from.hash, hash: from.hash, fileHash: "" },
  };
  const file = openSync(draft, "w", 0o600);
  try {
    for await (const { seal, lines } of sealsBefore(database, before, from)) {
      const text = `${lines.join("\n")}\n`;
      digest.update(text);
      writeSync(file, text);
      segment.lastPosition = seal.lastPosition;
      segment.hash = seal.hash;
      segment.rows += lines.length - 1;
      segment.seals++;
    }
    fsyncSync(file);
  } catch (error) {
    rmSync(draft);
    throw error;
  } finally {
    closeSync(file);
  }
  if (segment.seals === 0) {
    rmSync(draft);
    return undefined;
  }
  segment.fileHash = digest.digest("hex");
  renameSync(draft, rowsPath(folder, segment));
  // The manifest is written after the rows, so that its existence implies theirs.
  replaceFile(manifestPath(folder, segment), manifestText(segment), 0o600);
  syncFolder(folder);
  return segment;
}

/** Returns the first archived seals that the database still contains, for example after an interrupted deletion. */
export async function findArchivedSeals(database: Database, lastPosition: number): Promise<Seal[]> {
  return database
    .select()
    .from(auditSeal)
    .where(lte(auditSeal.lastPosition, lastPosition))
    .orderBy(asc(auditSeal.firstPosition))
    .limit(SEALS_AT_ONCE);
}
