// Verifies an archived segment from its files alone: every hash is recomputed from the rows.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSeal, leafFrom } from "#settlement/events/audit-hash-chain.ts";
import { UserError } from "../../shared/errors.ts";
import {
  MANIFEST_NAME,
  type Manifest,
  manifestText,
  rowsPath,
  type SealLine,
  type Segment,
} from "./manifest.ts";

/** @throws UserError if the folder does not exist */
export function listManifests(folder: string): string[] {
  if (!existsSync(folder)) throw new UserError(`The folder ${folder} does not exist.`);
  return readdirSync(folder)
    .filter((name) => MANIFEST_NAME.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** @throws UserError if the text is not a manifest */
export function readManifest(path: string): Segment {
  const text = readFileSync(path, "utf8");
  const problem = new UserError(`${path} is not a segment's manifest, or was changed.`);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch {
    throw problem;
  }
  const { firstPosition, lastPosition, rows, seals, previousHash, hash, fileHash } = manifest;
  const segment = { firstPosition, lastPosition, rows, seals, previousHash, hash, fileHash };
  if (manifestText(segment) !== text) throw problem;
  return segment;
}

export type SegmentVerdict = {
  /** The first mismatch between the files and the seals; null if there is none. */
  problem: string | null;
  /** Whether the expected head is one of its seals. */
  hasHead: boolean;
};

/** A seal of a segment, with the leaves of its events only. */
export type SealedEvents = SealLine["seal"] & { leaves: string[] };

class SegmentReader {
  problem: string | null = null;
  hasHead = false;
  #rows = 0;
  #seals = 0;
  #position: number;
  #hash: string;
  #seal: SealLine["seal"] | undefined;
  #leaves: string[] = [];
  #events: string[] = [];

  constructor(
    private readonly segment: Segment,
    private readonly expectedHead: string | undefined,
  ) {
    this.#position = segment.firstPosition;
    this.#hash = segment.previousHash;
  }

  /** @returns the seal that ends before this line, if one does */
  add(line: string): SealedEvents | undefined {
    if (line.startsWith("{")) {
      const ended = this.#endSeal();
      this.#seal = (JSON.parse(line) as SealLine).seal;
      return ended;
    }
    const row: unknown = JSON.parse(line);
    const [position, table] = Array.isArray(row) ? row : [];
    const leaf = leafFrom(Number(position), line);
    this.#leaves.push(leaf);
    if (table === "event") this.#events.push(leaf);
    this.#rows++;
    return undefined;
  }

  /** @returns the last seal */
  end(fileHash: string): SealedEvents | undefined {
    const ended = this.#endSeal();
    const { segment } = this;
    const is = [this.#position - 1, this.#rows, this.#seals, this.#hash, fileHash];
    const said = [segment.lastPosition, segment.rows, segment.seals, segment.hash, segment.fileHash];
    if (is.join() !== said.join()) this.problem ??= "The file does not match its manifest.";
    return ended;
  }

  #endSeal(): SealedEvents | undefined {
    const seal = this.#seal;
    const events = this.#events;
    if (seal) {
      if (seal.previousHash !== this.#hash || seal.firstPosition !== this.#position)
        this.problem ??= `Seal ${seal.id} does not follow the previous seal.`;
      if (hashSeal({ ...seal, leaves: this.#leaves }) !== seal.hash)
        this.problem ??= `The rows of seal ${seal.id} (${seal.firstPosition} to ${seal.lastPosition}) do not match the seal.`;
      this.hasHead ||= seal.hash === this.expectedHead;
      this.#hash = seal.hash;
      this.#position = seal.lastPosition + 1;
      this.#seals++;
    } else if (this.#leaves.length > 0) this.problem ??= "There are rows without a seal.";
    this.#seal = undefined;
    this.#leaves = [];
    this.#events = [];
    return seal && { ...seal, leaves: events };
  }
}

/** Splits only at line feeds, because a row may contain characters that readline treats as line ends. */
async function* readLines(path: string, onBytes: (bytes: Buffer) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  for await (const bytes of createReadStream(path)) {
    onBytes(bytes);
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/**
 * Reads a segment's rows in bounded memory, and recomputes the chain.
 * @param compare returns the first difference between a seal's events and those in the database, which keeps events
 */
export async function verifySegment(
  folder: string,
  segment: Segment,
  expectedHead?: string,
  compare: (sealed: SealedEvents) => Promise<string | null> = async () => null,
): Promise<SegmentVerdict> {
  const path = rowsPath(folder, segment);
  if (!existsSync(path)) return { problem: `The file ${path} does not exist.`, hasHead: false };
  const reader = new SegmentReader(segment, expectedHead);
  const digest = createHash("sha256");
  const check = async (ended: SealedEvents | undefined) => {
    if (ended && reader.problem === null) reader.problem = await compare(ended);
  };
  try {
    for await (const line of readLines(path, (bytes) => digest.update(bytes))) await check(reader.add(line));
  } catch (error) {
    // These errors indicate invalid JSON or UTF-8.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return { problem: "A line is neither a seal nor a row.", hasHead: false };
  }
  await check(reader.end(digest.digest("hex")));
  return reader;
}
