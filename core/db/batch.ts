// Reads of single rows that are asked for at the same time, as one statement: under load a row costs a fraction of a
// statement, alone it waits for nothing but the rest of the event loop's turn.
import DataLoader from "dataloader";

/** Statements on their way at once; what is asked for meanwhile goes together in the next. */
const IN_FLIGHT = 3;
const LARGEST = 100;

/**
 * @param load answers for all keys from one snapshot that is not older than the asking, in any order
 * @returns asks for one key; undefined if there is no row
 */
export function batched<Key, Row>(
  load: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): (key: Key) => Promise<Row | undefined> {
  let inFlight = 0;
  const held: (() => void)[] = [];
  const loader = new DataLoader<Key, Row | undefined>(
    async (keys) => {
      inFlight++;
      try {
        const rows = new Map((await load([...new Set(keys)])).map((row) => [keyOf(row), row]));
        return keys.map((key) => rows.get(key));
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
  return (key) => loader.load(key);
}
