// The scope of a reconciliation.
import type { Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { Context } from "../runtime/context.ts";

export type Parts = Pick<Context, "database" | "client" | "deployment" | "config" | "guard" | "offRamps"> & {
  /** Aborted when nobody waits for the result any more: the run ends at the next page. */
  signal?: AbortSignal;
};

export type Scope = {
  /** One merchant's payments only; checks that do not distinguish merchants are left out then. */
  merchantId?: string;
  /** Transfers that the provider accepted earlier are left out. */
  since: Date;
  /** Of an incremental reconciliation: the sealed part is left out. */
  sealed?: Seal;
};
