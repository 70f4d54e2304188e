import { createObservationScan } from "#settlement/events/scan-observations.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { working } from "./work.ts";

/** Observes what has changed, and then every payment. */
export function lookingAtAll(context: Context): () => Promise<void> {
  const observe = working(context, "observe");
  const scan = createObservationScan(context);
  return async () => {
    await observe();
    await scan();
  };
}
