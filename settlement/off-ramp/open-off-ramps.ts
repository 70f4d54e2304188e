// Opens the adapters of the configured accounts, and chooses the preferred one for each settlement method.
import type { Config } from "#core/config/config.ts";
import type { OffRampAccount } from "#core/config/off-ramp-account.ts";
import type { ProviderApi } from "#core/config/off-ramp-config.ts";
import type { Database } from "#core/db/client.ts";
import type { Currency } from "#core/money.ts";
import { openBridge } from "./bridge/bridge.ts";
import { openBvnk } from "./bvnk/bvnk.ts";
import { listRoutes } from "./list-routes.ts";
import { openMockBank } from "./mock.ts";
import type { OffRamp, OffRamps } from "./off-ramp.ts";

type Chosen = Pick<Config, "environment" | "mode" | "accounts" | "fees" | "offRamp" | "mockPayout" | "chain">;

type Opened = Chosen & {
  account: OffRampAccount;
  provider: OffRampAccount["provider"];
  /** The network's currencies. */
  currencies: readonly Currency[];
  database: Database;
};

/** Opens an account's adapter, by the provider's API. */
const OPEN: Record<ProviderApi, (options: Opened) => OffRamp> = {
  bridge: openBridge,
  bvnk: (options) => {
    const { account, currencies } = options;
    return openBvnk({ ...options, wallets: account.wallets, routes: listRoutes(account, currencies) });
  },
};

/**
 * Opens the adapters. Providers make real transfers; locally, the mock bank replaces a provider that is not configured.
 * Elsewhere a simulated transfer would be a false claim, so a method without a provider has no adapter, and its payouts
 * wait.
 */
export async function openOffRamps(config: Chosen, database: Database): Promise<OffRamps> {
  const { environment, mode, accounts } = config;
  const local = environment === "local";
  const pool = database.$client;
  const mock = mode === "test" ? await openMockBank({ pool, ...config.mockPayout, rules: local }) : undefined;
  const currencies = Object.keys(config.chain.tokens);
  const real = accounts.map((account) => {
    const { provider } = account;
    return OPEN[provider.api]({ ...config, provider, account, currencies, database });
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
