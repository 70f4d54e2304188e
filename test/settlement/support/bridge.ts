// Opens the adapter of a simulated provider.
import type { Database } from "#core/db/client.ts";
import type { SimulatedProvider } from "#scripts/provider/provider.ts";
import { type BridgeOptions, openBridge } from "#settlement/off-ramp/bridge/bridge.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { configFor } from "./world.ts";

/** @param timeoutMs the adapter's response timeout */
export function bridgeTo(
  database: Database,
  { environment }: SimulatedProvider,
  { timeoutMs = 2_000, ...options }: Partial<BridgeOptions> & { timeoutMs?: number } = {},
): OffRamp {
  const { provider, ...config } = configFor("postgres://localhost", {
    ...environment,
    OFF_RAMP_TIMEOUT_MS: String(timeoutMs),
    OFF_RAMP_RTP_FEE: "0.25",
    OFF_RAMP_BANK_FEE: "0.25",
  });
  if (!provider) throw new Error("The simulated provider says nothing of itself.");
  return openBridge({ ...config, database, provider, lookUpAfterMs: 500, ...options });
}
