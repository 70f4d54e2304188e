// What a reconciliation looks at, and with what.
import type { Context } from "../context.ts";

export type Parts = Pick<Context, "database" | "client" | "deployment" | "config" | "guard" | "offRamps"> & {
  /** Aborted when nobody waits for the result any more: it ends at the next page. */
  signal?: AbortSignal;
};

export type Scope = {
  /** One merchant's payments alone; what cannot be told by merchants is left out then. */
  merchantId?: string;
  /** Transfers that the provider accepted before are left out. */
  since: Date;
  /** Payments that came to their end before `since` are left out as well: they were compared when they did. */
  recent?: boolean;
};
