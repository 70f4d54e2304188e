// What is asked for at the same time, as one statement: under load a row costs a fraction of a statement, alone it waits
// for nothing but the rest of the event loop's turn.
import DataLoader from "dataloader";
import { isDatabaseAway } from "./errors.ts";

/** Statements on their way at once; what is asked for meanwhile goes together in the next. */
const IN_FLIGHT = 3;
const LARGEST = 100;

/**
 * @param run does it for all items at once: a result for each, in their order, or the Error of one that failed alone
 * @returns does it for one
 */
export function together<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): (item: Item) => Promise<Result> {
  let inFlight = 0;
  const held: (() => void)[] = [];
  const loader = new DataLoader<Item, Result>(
    async (items) => {
      inFlight++;
      try {
        return await run(items);
      } finally {
        inFlight--;
        held.shift()?.();
      }
    },
    {
      // What was read is never shown to whoever asks later.
      cache: false,
      maxBatchSize: LARGEST,
      batchScheduleFn: (dispatch) => {
        setImmediate(() => {
          if (inFlight < IN_FLIGHT) dispatch();
          else held.push(dispatch);
        });
      },
    },
  );
  return (item) => loader.load(item);
}

/**
 * Reads of single rows.
 * @param load answers for all keys from one snapshot that is not older than the asking, in any order
 * @returns asks for one key; undefined if there is no row
 */
export const batched = <Key, Row>(
  load: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): ((key: Key) => Promise<Row | undefined>) =>
  together(async (keys) => {
    const rows = new Map((await load([...new Set(keys)])).map((row) => [keyOf(row), row]));
    return keys.map((key) => rows.get(key));
  });

/** All of them, so many at a time. */
export const inSlices = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/**
 * Does it for so many at once; where that cannot be, one by one, so that none keeps the others from it.
 * @throws what kept the first of those for which it could not be done, when everything else is
 */
export async function inBatches<Item>(
  items: readonly Item[],
  size: number,
  run: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (some: readonly Item[]): Promise<void> => {
    try {
      await run(some);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (some.length === 1) failures.push(error);
      else for (const one of some) await attempt([one]);
    }
  };
  for (const some of inSlices(items, size)) await attempt(some);
  if (failures.length > 0) throw failures[0];
}
