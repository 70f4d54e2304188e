// The adapter of a stand-in that sells by quotes.
import { generateKeyPairSync } from "node:crypto";
import type { Database } from "#core/db/client.ts";
import type { QuoteProvider } from "#scripts/provider/quotes.ts";
import { type BvnkOptions, openBvnk } from "#settlement/offramp/bvnk/bvnk.ts";
import type { OffRamp } from "#settlement/offramp/off-ramp.ts";
import { configFor, OFF_RAMP } from "./world.ts";

const { publicKey: webhookKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** @param timeoutMs how long the adapter waits for an answer */
export function bvnkTo(
  database: Database,
  { url, apiKey, customerId, walletId }: Pick<QuoteProvider, "url" | "apiKey" | "customerId" | "walletId">,
  { timeoutMs = 2_000, ...options }: Partial<BvnkOptions> & { timeoutMs?: number } = {},
): OffRamp {
  const config = configFor("postgres://localhost", { OFF_RAMP_RTP_FEE: "0.25", OFF_RAMP_BANK_FEE: "0.25" });
  const provider = { api: "bvnk", url, apiKey, customerId, walletId, webhookKey, timeoutMs } as const;
  const wallets = [{ id: walletId, address: OFF_RAMP }];
  return openBvnk({ ...config, database, provider, wallets, lookUpAfterMs: 500, ...options });
}
