// What a reconciliation looks at, and with what.
import type { Context } from "../context.ts";

export type Parts = Pick<Context, "database" | "client" | "deployment" | "config" | "guard" | "offRamps">;

export type Scope = {
  /** One merchant's payments alone; what cannot be told by merchants is left out then. */
  merchantId?: string;
  /** Transfers that the provider accepted before are left out. */
  since: Date;
};
