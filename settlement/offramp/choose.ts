// Which adapter serves which settlement method.
import type { Config } from "#core/config.ts";
import type { Database } from "#core/db/client.ts";
import { openBridge } from "./bridge/bridge.ts";
import { openMockBank } from "./mock.ts";
import type { OffRamps } from "./off-ramp.ts";

type Chosen = Pick<Config, "environment" | "mode" | "provider" | "fees" | "offRamp" | "mockPayout">;

/**
 * The provider makes real transfers. Without one the mock bank stands in for it locally; elsewhere a transfer that is only
 * simulated would be a lie, so such a method has no adapter there, and its payouts wait.
 */
export async function chooseOffRamps(config: Chosen, database: Database): Promise<OffRamps> {
  const { environment, mode, provider } = config;
  const local = environment === "local";
  const pool = database.$client;
  const mock = mode === "test" ? await openMockBank({ pool, ...config.mockPayout, rules: local }) : undefined;
  const real = provider ? openBridge({ ...config, provider, database }) : local ? mock : undefined;
  return (method) => (method === "OFF_RAMP_MOCK" ? mock : real);
}
