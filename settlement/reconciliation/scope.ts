// What a reconciliation compares, and with what.
import type { Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { Context } from "../runtime/context.ts";

export type Parts = Pick<Context, "database" | "client" | "deployment" | "config" | "guard" | "offRamps"> & {
  /** Aborted when nobody waits for the result any more: the run ends at the next page. */
  signal?: AbortSignal;
};

export type Scope = {
  /** One merchant's payments alone; what cannot be told by merchants is left out then. */
  merchantId?: string;
  /** Transfers that the provider accepted earlier are left out. */
  since: Date;
  /** Of an incremental reconciliation: what was sealed is left out. */
  sealed?: Seal;
};
