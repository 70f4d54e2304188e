import { createObservationScan } from "#settlement/events/scan-observations.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { working } from "./work.ts";

/** Returns a function that observes the changed payments first, and then every payment. */
export function createFullObserver(context: Context): () => Promise<void> {
  const observe = working(context, "observe");
  const scan = createObservationScan(context);
  return async () => {
    await observe();
    await scan();
  };
}
