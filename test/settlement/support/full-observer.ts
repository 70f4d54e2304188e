import { createObservationScan } from "#settlement/events/scan-observations.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { working } from "./work.ts";

/**
 * Returns a function that first does all due observation work, as the settlement role does, and then runs the
 * observation scan, which finds changes without a work item.
 */
export function createFullObserver(context: Context): () => Promise<void> {
  const observe = working(context, "observe");
  const scan = createObservationScan(context);
  return async () => {
    await observe();
    await scan();
  };
}
