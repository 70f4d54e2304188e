// The adapters of the configured accounts, and the preferred one for each settlement method.
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import { openBridge } from "./bridge/bridge.ts";
import { openBvnk } from "./bvnk/bvnk.ts";
import { listRoutes } from "./list-routes.ts";
import { openMockBank } from "./mock.ts";
import type { OffRamps } from "./off-ramp.ts";

type Chosen = Pick<Config, "environment" | "mode" | "accounts" | "fees" | "offRamp" | "mockPayout" | "chain">;

/**
 * Providers make real transfers. Without a provider the mock bank replaces it locally; elsewhere a simulated transfer
 * would be a false claim, so such a method has no adapter there, and its payouts wait.
 */
export async function chooseOffRamps(config: Chosen, database: Database): Promise<OffRamps> {
  const { environment, mode, accounts } = config;
  const local = environment === "local";
  const pool = database.$client;
  const mock = mode === "test" ? await openMockBank({ pool, ...config.mockPayout, rules: local }) : undefined;
  const currencies = Object.keys(config.chain.tokens);
  const real = accounts.map((account) => {
    const { provider, wallets } = account;
    if (provider.api === "bridge") return openBridge({ ...config, provider, account, currencies, database });
    return openBvnk({ ...config, provider, wallets, routes: listRoutes(account, currencies), database });
  });
  const standIn = local && real.length === 0 ? mock : undefined;
  return Object.assign(
    ((method) => {
      if (method === "OFF_RAMP_MOCK") return mock;
      return real.find(({ routes }) => routes?.some((route) => route.method === method)) ?? standIn;
    }) satisfies OffRamps,
    standIn ? {} : { all: mock ? [...real, { ...mock, routes: [MOCK] }] : real },
  );
}

const MOCK = { method: "OFF_RAMP_MOCK", currency: null, least: null, most: null } as const;
