// What the full scans have in common: they read their sources page by page, and repair what two looks found missing.
import { inBatches } from "#core/db/batch.ts";
import { isLockFailure } from "#core/db/errors.ts";
import { describe, type Logger } from "#core/log.ts";
import { pauseFor } from "./pace.ts";
import { isPassing } from "./problems.ts";
import { scanRepaired } from "./work-metrics.ts";

/** The position of a row in the reading order. The empty id is before every other id. */
export type ScanPosition = { after: string; id: string };
const START: ScanPosition = { after: "", id: "" };

export type ScanSource<Row extends ScanPosition, Missing extends { id: string }> = {
  /** The number of rows of a full page. A smaller page is the last one. */
  pageSize: number;
  read(place: ScanPosition): Promise<Row[]>;
  /** The first look. It changes nothing. */
  findMissing(rows: readonly Row[]): Promise<Missing[]>;
  /**
   * The second look: repairs what is still missing. It repairs everything or, if it throws, nothing.
   * @returns how much it has repaired
   */
  repair(missing: readonly Missing[]): Promise<number>;
};

export type ScanOptions = {
  /** Called before each page. @returns whether the scan goes on */
  pause?: (stopping?: AbortSignal) => Promise<boolean>;
  /** Time between the two looks, in which other workers finish what they are doing. */
  secondReadMs?: number;
};

/** Scans everything that is left. @returns the number of repairs */
export type Scan = (stopping?: AbortSignal) => Promise<number>;

/**
 * Creates a scan of several sources. It keeps its position in each of them, in memory: if it is stopped or fails, its
 * next run continues there. A new leader starts from the beginning, and reads again what is already repaired.
 */
export function createPageScan<Row extends ScanPosition, Missing extends { id: string }>(
  log: Logger,
  sources: readonly ScanSource<Row, Missing>[],
  { pause = async () => true, secondReadMs = 0 }: ScanOptions = {},
): Scan {
  const places = new Map(sources.map((source) => [source, START]));

  /** An item that always fails must not prevent other repairs. */
  const skip = ({ id }: { id: string }, error: unknown) =>
    log.error({ payment: id, cause: describe(error) }, "the full scan skipped a payment");

  async function findMissing(
    { findMissing }: ScanSource<Row, Missing>,
    rows: readonly Row[],
  ): Promise<Missing[]> {
    const missing: Missing[] = [];
    const find = async (some: readonly Row[]) => void missing.push(...(await findMissing(some)));
    await inBatches(rows, rows.length, find, { endsRun: isPassing, onFailure: skip });
    return missing;
  }

  async function repair({ repair }: ScanSource<Row, Missing>, missing: readonly Missing[]): Promise<number> {
    let repaired = 0;
    const repairSome = async (some: readonly Missing[]) => {
      repaired += await repair(some);
    };
    // Another session may keep one payment locked.
    const endsRun = (error: unknown) => isPassing(error) && !isLockFailure(error);
    try {
      await inBatches(missing, missing.length, repairSome, { endsRun, onFailure: skip });
    } finally {
      scanRepaired.inc(repaired);
      if (repaired > 0) log.error({ repaired }, "the full scan found work that was not scheduled");
    }
    return repaired;
  }

  async function scanSource(source: ScanSource<Row, Missing>, stopping?: AbortSignal): Promise<number> {
    let repaired = 0;
    while (await pause(stopping)) {
      const rows = await source.read(places.get(source) ?? START);
      const missing = await findMissing(source, rows);
      if (missing.length > 0) {
        await pauseFor(secondReadMs, stopping);
        if (stopping?.aborted) break;
        repaired += await repair(source, missing);
      }
      const last = rows.length < source.pageSize ? undefined : rows.at(-1);
      places.set(source, last ? { after: last.after, id: last.id } : START);
      if (!last) break;
    }
    return repaired;
  }

  return async (stopping) => {
    let repaired = 0;
    const failures: unknown[] = [];
    for (const source of sources) {
      try {
        repaired += await scanSource(source, stopping);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return repaired;
  };
}
