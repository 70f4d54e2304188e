// The scope of a reconciliation.
import type { Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { Context } from "../runtime/context.ts";

export type Parts = Pick<Context, "database" | "client" | "deployment" | "config" | "guard" | "offRamps"> & {
  /** Aborted when no caller waits for the result any more; the run then ends at the next page. */
  signal?: AbortSignal;
};

export type Scope = {
  /** Limits the run to one merchant's payments; checks that do not distinguish merchants are skipped. */
  merchantId?: string;
  /** Transfers that the provider accepted before this time are skipped. */
  since: Date;
  /** For an incremental reconciliation, the sealed part, which is skipped. */
  sealed?: Seal;
};
