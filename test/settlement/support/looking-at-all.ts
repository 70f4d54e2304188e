import type { Context } from "#settlement/context.ts";
import { createObserver, createSweeper } from "#settlement/observe.ts";

/** The observer that looks at every payment with each run, not only at those of which something has changed. */
export function lookingAtAll(context: Context): () => Promise<void> {
  const look = createObserver(context);
  const sweep = createSweeper(context, async () => undefined);
  return async () => {
    await look();
    await sweep(new AbortController().signal);
  };
}
