// The dependencies and the scope of a reconciliation.
import type { Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { Context } from "../runtime/context.ts";

export type Dependencies = Pick<
  Context,
  "database" | "client" | "deployment" | "config" | "guard" | "offRamps"
> & {
  /** Aborted when the process is asked to stop. The run then ends early, at the latest before its next page. */
  signal?: AbortSignal;
};

export type Scope = {
  /** Limits the run to one merchant's payments; checks that do not distinguish merchants are skipped. */
  merchantId?: string;
  /**
   * Transfers that the provider accepted before this time are skipped. Payouts that were created before it are not
   * reported as missing at the provider.
   */
  since: Date;
  /** The seal at which an incremental run starts. It skips what the seal covers, and the comparison of balances. */
  sealed?: Seal;
};
