// Creates the dependencies of the operations, once per process.
import { connectChain } from "#core/chain/client.ts";
import type { Database } from "#core/db/client.ts";
import { openIndexerGuard } from "#core/indexer-state/guard.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { describe, type Logger } from "#core/log.ts";
import { createArbiter } from "#core/relayer/arbiter.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { Drain } from "#core/runtime/shutdown.ts";
import { AccessControl } from "./access/authenticate.ts";
import { createClientAddressReader } from "./access/client-address.ts";
import { createAuth } from "./access/dashboard-sign-in.ts";
import { type CallerLookup, createCallerLookup } from "./access/find-caller.ts";
import { KeyListener } from "./access/listen-for-keys.ts";
import { RateLimitCounters } from "./access/rate-limit-counters.ts";
import { createRateLimitStore } from "./access/rate-limit-store.ts";
import { RateLimits } from "./access/rate-limits.ts";
import { KeyUse } from "./access/record-key-use.ts";
import { RequestLog } from "./access/request-log.ts";
import { CheckoutStreams } from "./checkout/streams.ts";
import { ChangeStreams } from "./dashboard/change-streams.ts";
import { createSessionLookup } from "./dashboard/session-caller.ts";
import { FundingOffers } from "./funding/funding-offers.ts";
import { ListedTokens } from "./funding/listed-tokens.ts";
import { Idempotency } from "./idempotency/idempotency.ts";
import { createPaymentTime } from "./indexed-payment-time.ts";
import { createIntentInserter } from "./insert-intents.ts";
import { Metrics } from "./metrics/metrics.ts";
import { Networks } from "./networks.ts";
import { createWalletChoice } from "./off-ramp/choose-wallet.ts";
import type { NetworkResources, Services } from "./services.ts";

type Problem = (what: string) => (error: unknown) => void;

/** @param sessions the database that stores the dashboard sessions */
function createNetwork(resources: NetworkResources, sessions: Database, log: Logger, problem: Problem) {
  const { config, database, reads, deployment } = resources;
  const client = connectChain(config);
  const guard = openIndexerGuard(config, { database, client, deployment });
  const reader = createIntentReader({ reads, config, guard });
  const offers = new FundingOffers(client, deployment, problem("funding methods not loaded"));
  const listedTokens = new ListedTokens(client, deployment, problem("listed tokens not loaded"));
  return {
    ...resources,
    log,
    client,
    reader,
    relayer: new Relayer(database, client, deployment, config, (what, error) => problem(what)(error)),
    arbiter: createArbiter(database, client, deployment, config, (what, error) => problem(what)(error)),
    idempotency: new Idempotency(database),
    insertIntent: createIntentInserter(database),
    paymentTime: createPaymentTime(config, reads),
    offers,
    listedTokens,
    requestLog: new RequestLog(database, problem("request log not written")),
    chooseWallet: createWalletChoice({ config, database }),
    checkouts: new CheckoutStreams({
      config,
      database,
      reader,
      offers,
      listedTokens,
      onProblem: problem("checkout streams not updated"),
    }),
    changes: new ChangeStreams({
      database,
      mode: config.mode,
      sessions,
      onProblem: problem("dashboard streams not updated"),
    }),
  };
}

function createKeyLookup({ config, database }: NetworkResources, problem: Problem) {
  const listener = new KeyListener(config.databaseUrl, problem("not listening for API key changes"));
  const use = new KeyUse(database, problem("last use of API keys not recorded"));
  return {
    lookup: createCallerLookup(database, listener, use.note),
    stop: () => Promise.all([listener.stop(), use.stop()]),
  };
}

/**
 * @param live the live network, if the gateway's own network is not live
 * @returns the services of the gateway's own network
 */
export function createServices({
  log,
  live,
  ...own
}: NetworkResources & { log: Logger; live?: NetworkResources }): Services {
  const problem: Problem = (what) => (error) => log.warn({ cause: describe(error) }, what);
  const ownNetwork = createNetwork(own, own.database, log, problem);
  const all = [ownNetwork, ...(live ? [createNetwork(live, own.database, log, problem)] : [])];
  const ownKeys = createKeyLookup(own, problem);
  const liveKeys = live ? createKeyLookup(live, problem) : ownKeys;
  const lookupFor = (key: string) => (key.startsWith("sk_live_") ? liveKeys : ownKeys).lookup;
  const callers: CallerLookup = {
    remembered: (key) => lookupFor(key).remembered(key),
    find: (key, isSuspect) => lookupFor(key).find(key, isSuspect),
  };

  const metrics = new Metrics(all);
  const counts = createRateLimitStore(own.config.databaseUrl, problem("rate limit store connection lost"));
  const counters = new RateLimitCounters(counts, log);
  const limits = new RateLimits(own.config.rateLimits, counters, metrics.refused);
  const networks = new Networks<Services>();
  const { dashboard, mode: ownMode } = own.config;
  const auth = dashboard && createAuth(own.database, dashboard, ownMode, log);
  const findSessionCaller =
    auth &&
    createSessionLookup({
      auth,
      trustedOrigins: dashboard.trustedOrigins,
      ownMode,
      findDatabase: (mode) => networks.find(mode)?.database,
    });
  const readAddress = createClientAddressReader(own.config.trustedProxies);
  const shared = {
    networks,
    auth,
    accessControl: new AccessControl(callers, limits, readAddress, findSessionCaller),
    metrics,
    drain: new Drain(),
    async endStreams() {
      for (const { changes } of all) changes.stop();
      await Promise.all(all.map(({ checkouts }) => checkouts.stop()));
    },
    async stop() {
      await Promise.all(all.map(({ requestLog }) => requestLog.stop()));
      await Promise.all([ownKeys.stop(), ...(live ? [liveKeys.stop()] : []), limits.stop()]);
    },
  };
  for (const network of all) networks.add({ ...network, ...shared });
  return networks.of(own.config.mode);
}
