// Opens the adapter of a quote-based provider's stand-in.
import { createPublicKey } from "node:crypto";
import type { Database } from "#core/db/client.ts";
import type { QuoteProvider } from "#scripts/provider/quotes.ts";
import { type BvnkOptions, openBvnk } from "#settlement/off-ramp/bvnk/bvnk.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { configFor, OFF_RAMP } from "./world.ts";

/** @param timeoutMs the adapter's response timeout */
export function bvnkTo(
  database: Database,
  standIn: Pick<QuoteProvider, "url" | "apiKey" | "customerId" | "walletId" | "webhookKey">,
  { timeoutMs = 2_000, ...options }: Partial<BvnkOptions> & { timeoutMs?: number } = {},
): OffRamp {
  const config = configFor("postgres://localhost", { OFF_RAMP_RTP_FEE: "0.25", OFF_RAMP_BANK_FEE: "0.25" });
  const { url, apiKey, customerId, walletId } = standIn;
  const webhookKey = createPublicKey(standIn.webhookKey);
  const provider = { api: "bvnk", url, apiKey, customerId, walletId, webhookKey, timeoutMs } as const;
  const wallets = [{ id: walletId, address: OFF_RAMP }];
  return openBvnk({ ...config, database, provider, wallets, lookUpAfterMs: 500, ...options });
}
