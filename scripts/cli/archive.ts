// `npm run archive`: moves a sealed segment of the audit log into files.
import { mkdirSync } from "node:fs";
import type { Database } from "#core/db/client.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import { UserError } from "../shared/errors.ts";
import type { Segment } from "./archive/manifest.ts";

const HELP = `Exports the oldest part of the audit log to files, and optionally deletes it from the database.

  npm run archive -- --before DATE --to DIR [--drop] [--json]

  --before   a day (2026-01-31, from midnight UTC) or a time (2026-01-31T12:00:00Z): exports older rows
  --to       a folder; each segment has a file of JSON lines and a manifest
  --drop     deletes the exported rows, after reading the export back and recomputing its hashes; events are kept
  --json     prints JSON

Only complete seals are exported, and never the last one. After an interruption, the same command with the same DIR completes the export.
--drop requires the DATABASE_URL of the tables' owner: the application's role is not allowed to delete.
Uses the database of the running gateway (.data/local.json), or the one in DATABASE_URL.
Check the files with: npm run audit -- verify-archive DIR`;

const { values: options } = parseCommand(HELP, {
  before: { type: "string" },
  to: { type: "string" },
  drop: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});

// These modules are loaded only after the usage has been checked.
const { connect } = await import("#core/db/client.ts");
const { printLine } = await import("../devnet/screen.ts");
const { dropArchived, recordArchive } = await import("./archive/drop-segment.ts");
const { exportSegment } = await import("./archive/export-segment.ts");
const { rowsPath } = await import("./archive/manifest.ts");
const { verifySegment } = await import("./archive/verify-segment.ts");
const { gatewayDatabaseUrl } = await import("./shared/database-command.ts");

/** Exits the process unless the argument is a time in the past. */
function readBefore(text: string): Date {
  const isKnown = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?$/.test(text);
  const date = new Date(isKnown ? text : Number.NaN);
  if (Number.isNaN(date.getTime()))
    refuse(`'${text}' is not a date such as 2026-01-31 or 2026-01-31T12:00:00Z.`);
  if (date.getTime() > Date.now()) refuse("--before must not be in the future.");
  return date;
}

function answer(segment: Segment | undefined, deleted: number, folder: string): void {
  if (options.json) {
    const file = segment ? rowsPath(folder, segment) : null;
    printLine(JSON.stringify({ segment: segment ? { ...segment, file } : null, deleted }, null, 2));
    return;
  }
  if (!segment) printLine("  No complete seal is old enough: nothing to export.");
  else {
    const { rows, seals, firstPosition, lastPosition, hash, fileHash } = segment;
    printLine(
      `  ${rows} rows in ${seals} seals, positions ${firstPosition} to ${lastPosition}: ${rowsPath(folder, segment)}`,
    );
    printLine(`  SHA-256 of the file: ${fileHash}\n  Hash of the last seal: ${hash}`);
  }
  if (options.drop) printLine(`  Deleted ${deleted} rows from the database.`);
}

async function archive(database: Database, before: Date, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Deletes the rows that remain from an interrupted run.
  let deleted = options.drop ? await dropArchived(database, folder) : 0;
  const segment = await exportSegment(database, before, folder);
  if (segment) {
    const { problem } = await verifySegment(folder, segment);
    if (problem) throw new UserError(`The export is invalid: ${problem}`);
    if (options.drop) {
      await recordArchive(database, segment);
      deleted += await dropArchived(database, folder);
    }
  }
  answer(segment, deleted, folder);
}

async function run(): Promise<void> {
  const before = readBefore(options.before ?? "");
  const folder = options.to || refuse("--to must be a folder.");
  const database = connect(gatewayDatabaseUrl(), { application: "archive", max: 1 });
  try {
    await archive(database, before, folder);
  } finally {
    await database.$client.end();
  }
}

run().then(() => process.exit(0), fail);
