// `npm run audit`: verifies the audit log's hash chain, in the database and in archived files.
import { dirname } from "node:path";
import type { Database } from "#core/db/client.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import type { Segment } from "./archive/manifest.ts";
import type { SealedEvents } from "./archive/verify-segment.ts";

const HELP = `Verifies the audit log's hash chain. Exits with 1 if something does not match its seals.

  npm run audit -- verify [HEAD] [--archive DIR]   the rows in the database; with DIR, also every archived segment,
                                                   and the events that the database still contains of them
  npm run audit -- verify-archive DIR              only the archived segments in a folder, without a database

HEAD is a head that an earlier run printed and that was stored elsewhere: it must still be part of the chain.
Uses the database of the running gateway (.data/local.json), or the one in DATABASE_URL.`;

const { positionals, values } = parseCommand(HELP, { archive: { type: "string" } });

// These modules are loaded only after the usage has been checked.
const { connect } = await import("#core/db/client.ts");
const { auditArchive } = await import("#core/db/schema/audit-log.ts");
const { compareWithSeal, GENESIS, loadEventLeaves, verifyChain } = await import(
  "#settlement/events/audit-hash-chain.ts"
);
const { printLine } = await import("../devnet/screen.ts");
const { listManifests, readManifest, verifySegment } = await import("./archive/verify-segment.ts");
const { gatewayDatabaseUrl } = await import("./shared/database-command.ts");

const [command, argument] = positionals;
if (command === "verify" && argument !== undefined && !/^[0-9a-f]{64}$/.test(argument))
  refuse("HEAD must be 64 hexadecimal digits.");

type Found = { problem: string | null; hasHead: boolean };

/** Verifies each segment from its files. @param database is compared with the segments' events */
async function verifyFiles(
  segments: readonly Segment[],
  folder: string,
  { head, database }: { head?: string | undefined; database?: Database } = {},
): Promise<Found> {
  const compare = async ({ id, leaves, firstPosition, lastPosition }: SealedEvents) =>
    database
      ? compareWithSeal({ id, leaves }, await loadEventLeaves(database, firstPosition, lastPosition))
      : null;
  let hasHead = false;
  for (const segment of segments) {
    const verdict = await verifySegment(folder, segment, head, compare);
    const name = `${segment.firstPosition} to ${segment.lastPosition}`;
    if (verdict.problem) return { problem: `Segment ${name}: ${verdict.problem}`, hasHead };
    printLine(`  Segment ${name}: ${segment.rows} rows in ${segment.seals} seals match.`);
    hasHead ||= verdict.hasHead;
  }
  return { problem: null, hasHead };
}

/**
 * Returns a message if rows before a segment are missing. A folder may contain several exports of the same rows: a
 * segment that was not dropped has the same start as a longer, later one.
 */
function findGap(segments: readonly Segment[]): string | null {
  const isLinked = ({ firstPosition, previousHash }: Segment) =>
    (firstPosition === 1 && previousHash === GENESIS) ||
    segments.some((one) => one.lastPosition === firstPosition - 1 && one.hash === previousHash);
  const [first, ...others] = segments;
  const loose = others.find((one) => one.firstPosition !== first?.firstPosition && !isLinked(one));
  return loose ? `The rows before position ${loose.firstPosition} are missing.` : null;
}

async function verifyArchive(folder: string): Promise<number> {
  const manifests = listManifests(folder);
  const segments = manifests.map(readManifest);
  const found = await verifyFiles(segments, manifests[0] ? dirname(manifests[0]) : folder);
  const problem = found.problem ?? findGap(segments);
  if (problem) printLine(`  BROKEN: ${problem}`);
  printLine(`  ${segments.length} segments.`);
  return problem ? 1 : 0;
}

async function verify(head: string | undefined, folder: string | undefined): Promise<number> {
  const database = connect(gatewayDatabaseUrl(), { application: "audit", max: 1 });
  try {
    const segments = await database.select().from(auditArchive).orderBy(auditArchive.firstPosition);
    const files = folder === undefined ? undefined : await verifyFiles(segments, folder, { head, database });
    const {
      seals,
      rows,
      archived,
      problem,
      unsealed,
      head: last,
    } = await verifyChain(database, head, files?.hasHead);
    if (archived.segments > 0) {
      const compared = files
        ? ""
        : " The events among them were not compared with their export (--archive DIR).";
      printLine(`  ${archived.rows} rows in ${archived.segments} segments are archived.${compared}`);
    }
    printLine(`  ${rows} rows in ${seals} seals match.`);
    const broken = files?.problem ?? problem;
    if (broken) printLine(`  BROKEN: ${broken}`);
    const since = unsealed.since ? `; the oldest is from ${unsealed.since.toISOString()}` : "";
    if (!broken) printLine(`  ${unsealed.rows} rows are not sealed yet${since}.`);
    printLine(`  Head: ${last}`);
    return broken ? 1 : 0;
  } finally {
    await database.$client.end();
  }
}

const done = command === "verify-archive" ? verifyArchive(argument ?? "") : verify(argument, values.archive);
done.then((code) => process.exit(code), fail);
