// The format of an archived segment: a file of JSON lines, and a manifest that describes the file.
//
// A line `{"seal": …}` starts a seal, and the lines after it are its rows. Each row is exactly the text that was
// hashed: a JSON array in the order of COLUMNS, or of EVENT_COLUMNS if its second value is `event`. Every hash can
// therefore be recomputed from the file alone.
import { join } from "node:path";
import { COLUMNS, EVENT_COLUMNS } from "#settlement/events/audit-hash-chain.ts";

const FORMAT = "audit-log-segment/1";

export type Segment = {
  firstPosition: number;
  lastPosition: number;
  rows: number;
  seals: number;
  /** The hashes of the seal before the segment and of the segment's last seal. */
  previousHash: string;
  hash: string;
  /** SHA-256 of the file. */
  fileHash: string;
};

export type Manifest = Segment & {
  format: typeof FORMAT;
  columns: string[];
  eventColumns: string[];
  file: string;
};

/** The content of a line that starts a seal; its leaves are computed from the rows. */
export type SealLine = {
  seal: { id: number; firstPosition: number; lastPosition: number; previousHash: string; hash: string };
};

const buildName = ({
  firstPosition,
  lastPosition,
}: Pick<Segment, "firstPosition" | "lastPosition">): string =>
  `audit-${String(firstPosition).padStart(12, "0")}-${String(lastPosition).padStart(12, "0")}`;

export const MANIFEST_NAME = /^audit-\d{12,}-\d{12,}\.json$/;

export const manifestPath = (folder: string, segment: Segment): string =>
  join(folder, `${buildName(segment)}.json`);

export const rowsPath = (folder: string, segment: Segment): string =>
  join(folder, `${buildName(segment)}.jsonl`);

/** Deterministic text, so that repeating an export changes nothing. */
export const manifestText = (segment: Segment): string => {
  const manifest: Manifest = {
    format: FORMAT,
    ...segment,
    file: `${buildName(segment)}.jsonl`,
    columns: COLUMNS,
    eventColumns: EVENT_COLUMNS,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};
