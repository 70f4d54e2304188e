// Which adapter serves which settlement method.
import type { Pool } from "pg";
import type { Config } from "#core/config.ts";
import { openMockBank } from "./mock.ts";
import type { OffRamps } from "./off-ramp.ts";

/**
 * Locally the mock bank stands in for every method. In production a bank transfer that is only simulated would be a
 * lie, so a method without a provider has no adapter there, and its payouts wait.
 */
export async function chooseOffRamps(
  config: Pick<Config, "environment" | "mockPayout">,
  pool: Pool,
): Promise<OffRamps> {
  const local = config.environment === "local";
  const mock = await openMockBank({ pool, ...config.mockPayout, rules: local });
  return (method) => (local || method === "OFF_RAMP_MOCK" ? mock : undefined);
}
