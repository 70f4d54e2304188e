// Combines concurrent requests into one statement. Under load, a row costs only a fraction of a statement. A single
// request waits only until the end of the current iteration of the event loop.
import DataLoader from "dataloader";
import { isDatabaseUnavailable } from "./errors.ts";

/** Maximum number of statements in flight; requests that arrive meanwhile share the next one. */
const IN_FLIGHT = 3;
const LARGEST = 100;

type BatchOptions = {
  /** How long items wait for others; by default until the end of the current iteration of the event loop. */
  waitMs?: number;
  /** Maximum number of items per batch. */
  largest?: number;
};

/**
 * @param run handles all items at once, and returns a result for each of them in order, or the Error of an item that
 * failed alone
 * @returns a function that handles one item
 */
export function together<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { waitMs, largest = LARGEST }: BatchOptions = {},
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
      // A result is never shared with a later caller.
      cache: false,
      maxBatchSize: largest,
      batchScheduleFn: (dispatch) => {
        const start = () => {
          if (inFlight < IN_FLIGHT) dispatch();
          else held.push(dispatch);
        };
        if (waitMs === undefined) setImmediate(start);
        else setTimeout(start, waitMs);
      },
    },
  );
  return (item) => loader.load(item);
}

/**
 * Batches reads of single rows.
 * @param load reads the rows of the keys in one snapshot that is not older than the request, in any order
 * @returns a function that reads the row of one key; undefined if the row does not exist
 */
export const batched = <Key, Row>(
  load: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  options?: BatchOptions,
): ((key: Key) => Promise<Row | undefined>) =>
  together(async (keys) => {
    const rows = new Map((await load([...new Set(keys)])).map((row) => [keyOf(row), row]));
    return keys.map((key) => rows.get(key));
  }, options);

/** Splits the items into slices of at most `size`. */
export const inSlices = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

type FailureHandling<Item> = {
  /** Whether an error ends the run at once, instead of only affecting its items. */
  endsRun?: (error: unknown) => boolean;
  /** Called with each item that failed alone; by default, the first such error is thrown in the end. */
  onFailure?: (item: Item, error: unknown) => void;
};

/**
 * Runs batches of at most `size` items. If a batch fails, runs its items one by one, so that no item blocks the others.
 * @throws an error that ends the run or, after every other item is done, the first failure of a single item
 */
export async function inBatches<Item>(
  items: readonly Item[],
  size: number,
  run: (items: readonly Item[]) => Promise<void>,
  { endsRun = isDatabaseUnavailable, onFailure }: FailureHandling<Item> = {},
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (some: readonly Item[]): Promise<void> => {
    try {
      await run(some);
    } catch (error) {
      if (endsRun(error)) throw error;
      const [only, ...others] = some;
      if (others.length > 0) for (const one of some) await attempt([one]);
      else if (onFailure && only !== undefined) onFailure(only, error);
      else failures.push(error);
    }
  };
  for (const some of inSlices(items, size)) await attempt(some);
  if (failures.length > 0) throw failures[0];
}
