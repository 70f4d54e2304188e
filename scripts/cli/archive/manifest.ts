// What is written of a segment: a file of JSON lines, and a manifest beside it that names what the file must be.
//
// A line `{"seal": …}` begins a seal; the lines after it are its rows, each the very text that its hash is made of: a JSON
// array in the order of COLUMNS. Reading the file is enough to compute every hash again.
import { join } from "node:path";

const FORMAT = "audit-log-segment/1";

const COLUMNS = [
  ...["position", "id", "merchantId", "mode", "actorType", "actor", "action", "intentId", "resourceId"],
  // Seconds since 1970, in microseconds.
  ...["fromStatus", "toStatus", "requestId", "metadata", "changes", "createdAt"],
];

export type Segment = {
  firstPosition: number;
  lastPosition: number;
  rows: number;
  seals: number;
  /** Of the seal before the first one, and of the last one. */
  previousHash: string;
  hash: string;
  /** SHA-256 of the file. */
  fileHash: string;
};

export type Manifest = Segment & { format: typeof FORMAT; columns: string[]; file: string };

/** What a line says that begins a seal; its leaves follow from the rows. */
export type SealLine = {
  seal: { id: number; firstPosition: number; lastPosition: number; previousHash: string; hash: string };
};

const nameOf = ({ firstPosition, lastPosition }: Pick<Segment, "firstPosition" | "lastPosition">): string =>
  `audit-${String(firstPosition).padStart(12, "0")}-${String(lastPosition).padStart(12, "0")}`;

export const MANIFEST_NAME = /^audit-\d{12,}-\d{12,}\.json$/;

export const manifestPath = (folder: string, segment: Segment): string =>
  join(folder, `${nameOf(segment)}.json`);

export const rowsPath = (folder: string, segment: Segment): string =>
  join(folder, `${nameOf(segment)}.jsonl`);

/** The same text for the same segment, so that an export that is repeated changes nothing. */
export const manifestText = (segment: Segment): string => {
  const manifest: Manifest = {
    format: FORMAT,
    ...segment,
    file: `${nameOf(segment)}.jsonl`,
    columns: COLUMNS,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};
