// The configuration of every role. It is read once from environment variables; invalid variables are rejected with a
// clear message.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, type Hex, parseGwei, zeroAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Mode } from "../model/mode.ts";
import { ConfigError } from "./config-error.ts";
import { GuardianVariables, readGuardian } from "./guardian-config.ts";
import { type Network, parseNetworks } from "./ip-ranges.ts";
import type { OffRampAccount } from "./off-ramp-account.ts";
import { nameAccount, readAccounts, requireDistinct } from "./off-ramp-accounts.ts";
import { OffRampVariables, type Provider, readFees, readMinimums, readProvider } from "./off-ramp-config.ts";
import { type OperatorVariables, operatorVariables, readOperator } from "./operator-config.ts";
import { RateLimitVariables, readRateLimits } from "./rate-limit-config.ts";
import { withSecretFiles } from "./secret-files.ts";
import { readTokens } from "./token-config.ts";

const AddressText = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });
const Port = Type.Integer({ minimum: 0, maximum: 65535 });
const Milliseconds = Type.Integer({ minimum: 0 });
const Seconds = Type.Integer({ minimum: 0 });

const MIN_BLOCK_POLL_MS = 100;

const Environment = Type.Object({
  /** `local` allows test tokens, impersonated oracles, and a chain that may be replaced with a new one. */
  GATEWAY_ENV: Type.Union([Type.Literal("local"), Type.Literal("production")], { default: "production" }),
  /** Whether this network accepts test or live API keys. Default: `test` if local, otherwise `live`. */
  GATEWAY_MODE: Type.Optional(Type.Union([Type.Literal("test"), Type.Literal("live")])),
  DATABASE_URL: Type.String({ minLength: 1 }),
  DATABASE_POOL: Type.Integer({ minimum: 2, default: 10 }),
  RPC_URL: Type.String({ pattern: "^https?://" }),
  /**
   * WebSocket URL of the node, which pushes new blocks so that the indexer sees them immediately instead of at its next
   * poll.
   */
  RPC_WS_URL: Type.Optional(Type.String({ pattern: "^wss?://" })),
  /**
   * How often the indexer polls the node for a new block if RPC_WS_URL is not set. Default: 100 if local, otherwise half of
   * BLOCK_TIME, between 100 and 1,000. Ponder does not accept less than 100.
   */
  BLOCK_POLL_MS: Type.Optional(Type.Integer({ minimum: MIN_BLOCK_POLL_MS, maximum: 60_000 })),
  CHAIN_ID: Type.Integer({ minimum: 1 }),
  /** Approximate seconds between blocks, used to estimate durations that depend on a number of blocks. */
  BLOCK_TIME: Type.Number({ minimum: 0.01, default: 12 }),
  /** The network's name on the payment page, the block explorer for links, and the node for payers' wallets. */
  NETWORK_NAME: Type.Optional(Type.String()),
  NATIVE_CURRENCY: Type.String({ pattern: "^[A-Z]{2,6}$", default: "ETH" }),
  EXPLORER_URL: Type.Optional(Type.String({ pattern: "^https?://" })),
  /** A public node. RPC_URL itself is never exposed, because it may contain a key. */
  PUBLIC_RPC_URL: Type.Optional(Type.String({ pattern: "^https?://" })),
  /** The public project id at cloud.reown.com. It enables WalletConnect for payers. */
  WALLETCONNECT_PROJECT_ID: Type.Optional(Type.String({ pattern: "^[0-9a-f]{32}$" })),
  /**
   * Chain, contract and tokens are compared with the recorded deployment and with the chain
   * (core/deployment/deployment.ts).
   */
  CONTRACT_ADDRESS: AddressText,
  START_BLOCK: Type.Integer({ minimum: 0, default: 0 }),
  /** The token of each currency, as JSON (core/config/token-config.ts). */
  TOKENS: Type.String({ minLength: 2 }),
  /**
   * The account that resolves disputes in the contract. It must differ from the operator, the off-ramp wallet and the
   * merchants.
   */
  ARBITER_ADDRESS: Type.Optional(AddressText),
  /** Replaces ARBITER_ADDRESS on a local chain, where the gateway itself resolves disputes in tests. */
  ARBITER_KEY: Type.Optional(Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" })),
  OFF_RAMP_ADDRESS: AddressText,
  BASE_URL: Type.String({ pattern: "^https?://" }),
  PAYMENT_PAGE_URL: Type.String({ pattern: "^https?://" }),
  HOST: Type.String({ default: "0.0.0.0" }),
  PORT: Type.Intersect([Port], { default: 3000 }),
  INDEXER_PORT: Type.Intersect([Port], { default: 42069 }),
  SETTLEMENT_PORT: Type.Intersect([Port], { default: 42070 }),
  /**
   * The port on which the settlement role receives the off-ramp provider's webhooks. It is the role's only public port.
   */
  WEBHOOK_PORT: Type.Intersect([Port], { default: 42080 }),
  /**
   * How long a process keeps serving requests after it was asked to stop, while /ready responds with 503. Must be at
   * least as long as load balancers need to stop sending requests to it. Default: 250 if local, otherwise 10,000.
   */
  DRAIN_MS: Type.Optional(Milliseconds),
  LOG_LEVEL: Type.String({ default: "info" }),
  /** Whether the API logs a line per request at level info. */
  LOG_REQUESTS: Type.Boolean({ default: true }),
  ...RateLimitVariables.properties,
  ...OffRampVariables.properties,
  ...GuardianVariables.properties,

  /** Number of confirmations, including the order's own block, after which its funding counts (spec: 5 or more). */
  CONFIRMATIONS: Type.Integer({ minimum: 5, default: 5 }),
  FUNDING_PERIOD: Type.Intersect([Seconds], { default: 604_800 }),
  MIN_DISPUTE_WINDOW: Type.Optional(Seconds),
  /** How long a bank may return a payout. After that time, the intent is FINAL. */
  RETURN_WINDOW: Type.Optional(Seconds),
  /**
   * Who bears the fee of a returned payout: the merchant, whose next attempt pays less, or the gateway, which adds the
   * fee.
   */
  OFF_RAMP_RETURN_FEE: Type.Union([Type.Literal("merchant"), Type.Literal("gateway")], {
    default: "merchant",
  }),
  /**
   * Tolerance, in percent, between the amount that arrived at a bank and the amount that was sold for it. A larger
   * deviation is reported as a difference.
   */
  CONVERSION_TOLERANCE: Type.String({ pattern: "^\\d{1,2}(\\.\\d{1,4})?$", default: "1" }),
  /** The value of one unit of a stablecoin in each bank currency, as JSON. Absent currencies are not compared. */
  CONVERSION_RATES: Type.String({ minLength: 2, default: '{"USD":"1"}' }),
  /** A pending transaction older than this is resent with a higher fee. */
  STUCK_AFTER_MS: Type.Intersect([Milliseconds], { default: 30_000 }),
  /** Maximum gas price in gwei; more expensive transactions wait. Default: the network's price. */
  MAX_FEE_GWEI: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  /** Maximum number of orders per settlement transaction; a full batch is sent immediately. */
  SETTLE_BATCH_SIZE: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  /** How long, by the chain's clock, a released order waits to be batched with others. */
  SETTLE_BATCH_AGE: Type.Intersect([Seconds], { default: 0 }),
  /** Settlement waits while the base fee of a block is above this value. Default: settlement never waits. */
  SETTLE_MAX_BASE_FEE_GWEI: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  /** After this time, an order is settled at any gas price. */
  SETTLE_MAX_WAIT: Type.Intersect([Seconds], { default: 3_600 }),
  /** The duration of a payout in test mode, 10 to 30 seconds in the spec. */
  MOCK_PAYOUT_MIN_MS: Type.Intersect([Milliseconds], { default: 10_000 }),
  MOCK_PAYOUT_MAX_MS: Type.Intersect([Milliseconds], { default: 30_000 }),
  /** Seconds between reconciliations of the ledger with the contract, the payouts and the provider. */
  RECONCILE_INTERVAL: Type.Intersect([Seconds], { default: 900 }),
  /** How often workers poll without a notification. */
  POLL_INTERVAL_MS: Type.Intersect([Milliseconds], { default: 2_000 }),

  /** Enables POST /v1/test/clock/advance, which moves the chain's time. Allowed only on a local chain. */
  TEST_CLOCK: Type.Union([Type.Literal("on"), Type.Literal("off")], { default: "off" }),

  /** The secret that signs dashboard sessions: 32 random bytes as hex. Without it, the dashboard is disabled. */
  DASHBOARD_SECRET: Type.Optional(Type.String({ pattern: "^[0-9a-fA-F]{64,}$" })),
  /** The dashboard's URL. Only requests from its origin may use sessions. Default: BASE_URL's origin. */
  DASHBOARD_URL: Type.Optional(Type.String({ pattern: "^https?://" })),

  /**
   * The key that encrypts the secrets of webhook endpoints: 32 bytes as hex. If there are several keys, separated by
   * commas, the first one encrypts, and all of them decrypt.
   */
  WEBHOOK_SECRET_KEY: Type.Optional(Type.String({ pattern: "^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$" })),
  /** Whether webhooks may be sent to private addresses. Default: only locally. */
  WEBHOOK_ALLOW_PRIVATE: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")])),
  /**
   * Milliseconds to wait after each failed attempt, before jitter. The default allows eight attempts over about a day.
   */
  WEBHOOK_RETRY_MS: Type.String({
    pattern: "^\\d{1,9}(,\\d{1,9})*$",
    default: "5000,300000,1800000,7200000,18000000,28800000,28800000",
  }),
  /** The timeout of a delivery attempt, from connecting to the end of the response. */
  WEBHOOK_TIMEOUT_MS: Type.Intersect([Milliseconds], { default: 15_000 }),
});

type Environment = Static<typeof Environment>;

export type Config = ReturnType<typeof readConfig>;

function parse<T extends TSchema>(schema: T, environment: Record<string, string | undefined>): Static<T> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const value = Value.Convert(schema, Value.Default(schema, Value.Clean(schema, given)));
  const problems = [...Value.Errors(schema, value)].map((e) => `  ${e.path.slice(1)}: ${e.message}`);
  // The message omits the values, because some are secrets.
  if (problems.length > 0) {
    throw new ConfigError(`The configuration is invalid:\n${[...new Set(problems)].join("\n")}`);
  }
  return value as Static<T>;
}

const ConversionRates = Type.Record(
  Type.String({ pattern: "^[A-Z]{3}$" }),
  Type.String({ pattern: "^\\d{1,12}(\\.\\d{1,18})?$" }),
  { additionalProperties: false },
);

function parseConversionRates(text: string): Record<string, string> {
  try {
    const rates: unknown = JSON.parse(text);
    if (Value.Check(ConversionRates, rates)) return rates;
  } catch {
    // Reported below.
  }
  throw new ConfigError('CONVERSION_RATES must be JSON such as {"USD":"1","EUR":"0.92"}.');
}

const gweiToWei = (gwei: number | undefined): bigint | undefined =>
  gwei === undefined ? undefined : parseGwei(String(gwei));

function parseProxies(text: string): Network[] {
  const networks = parseNetworks(text);
  if (networks) return networks;
  throw new ConfigError(
    "TRUSTED_PROXIES must be a comma-separated list of IP addresses or ranges such as 10.0.0.0/8.",
  );
}

/** This key is not secret. The endpoints of a local gateway are on the same machine, and must survive a restart. */
const LOCAL_SECRET_KEY = "00".repeat(32);

function readWebhooks(env: Environment, local: boolean) {
  const keys = env.WEBHOOK_SECRET_KEY ?? (local ? LOCAL_SECRET_KEY : undefined);
  if (keys === undefined) {
    throw new ConfigError("WEBHOOK_SECRET_KEY must be set: 32 random bytes as hex (openssl rand -hex 32).");
  }
  return {
    secretKeys: keys.split(",").map((key) => Buffer.from(key, "hex")),
    allowPrivate: env.WEBHOOK_ALLOW_PRIVATE === undefined ? local : env.WEBHOOK_ALLOW_PRIVATE === "true",
    /** Local deliveries do not leave the machine, so nobody can intercept plain HTTP. */
    httpsOnly: !local,
    retryMs: env.WEBHOOK_RETRY_MS.split(",").map(Number),
    timeoutMs: env.WEBHOOK_TIMEOUT_MS,
  };
}

/** Reads the public details of the network. */
const readNetwork = (env: Environment, local: boolean) => ({
  name: env.NETWORK_NAME ?? (local ? "Local test network" : `Chain ${env.CHAIN_ID}`),
  currency: env.NATIVE_CURRENCY,
  explorerUrl: env.EXPLORER_URL?.replace(/\/+$/, "") ?? null,
  rpcUrl: env.PUBLIC_RPC_URL ?? (local ? env.RPC_URL : null),
});

const LOOPBACK = ["localhost", "127.0.0.1"];

/** On one machine, localhost and 127.0.0.1 are the same host. */
function loopbackOrigins(origin: string): string[] {
  if (!LOOPBACK.includes(new URL(origin).hostname)) return [origin];
  return LOOPBACK.map((hostname) => Object.assign(new URL(origin), { hostname }).origin);
}

/** @returns undefined if the dashboard is disabled */
function readDashboard(env: Environment, local: boolean) {
  if (env.DASHBOARD_SECRET === undefined) return undefined;
  const { origin } = new URL(env.DASHBOARD_URL ?? env.BASE_URL);
  return {
    secret: env.DASHBOARD_SECRET,
    origin,
    /** The origins at which dashboard sessions are valid. */
    trustedOrigins: local ? loopbackOrigins(origin) : [origin],
    signInsPerMinute: env.RATE_LIMIT_SIGN_IN,
  };
}

const pollTwicePerBlock = (blockTime: number): number =>
  Math.round(Math.min(1_000, Math.max(MIN_BLOCK_POLL_MS, blockTime * 500)));

function readTestClock({ TEST_CLOCK: clock }: Environment, local: boolean): boolean {
  if (clock === "on" && !local) {
    throw new ConfigError(
      "TEST_CLOCK=on requires GATEWAY_ENV=local: the time of other chains cannot be changed.",
    );
  }
  return clock === "on";
}

function parseMode({ GATEWAY_MODE: mode }: Pick<Environment, "GATEWAY_MODE">, local: boolean): Mode {
  if (local && mode === "live") {
    throw new ConfigError(
      "GATEWAY_MODE=live is not allowed with GATEWAY_ENV=local, where anyone can mint tokens.",
    );
  }
  return mode ?? (local ? "test" : "live");
}

/**
 * Reads the arbiter and, on a local chain, the key with which the gateway resolves disputes.
 * @param others accounts that must not be the arbiter, by variable, because the contract refuses to fund such an order
 */
function readArbiter(env: Environment, local: boolean, others: Record<string, Address>) {
  if (env.ARBITER_KEY !== undefined && !local) {
    throw new ConfigError("ARBITER_KEY requires GATEWAY_ENV=local. Set ARBITER_ADDRESS instead.");
  }
  const arbiterKey = env.ARBITER_KEY as Hex | undefined;
  const named = arbiterKey === undefined ? env.ARBITER_ADDRESS : privateKeyToAddress(arbiterKey);
  if (named === undefined)
    throw new ConfigError("ARBITER_ADDRESS must be set to the account that resolves disputes.");
  const arbiter = getAddress(named);
  if (arbiter === zeroAddress) throw new ConfigError("ARBITER_ADDRESS must not be the zero address.");
  for (const [variable, other] of Object.entries(others)) {
    if (other !== arbiter) continue;
    throw new ConfigError(`ARBITER_ADDRESS and ${variable} must be different accounts: both are ${arbiter}.`);
  }
  return { arbiter, arbiterKey };
}

/** Reads the network's mode, for a caller that does not have the other variables. @throws ConfigError */
export function readMode(variables: Record<string, string | undefined>): Mode {
  const env = parse(Type.Pick(Environment, ["GATEWAY_ENV", "GATEWAY_MODE"]), variables);
  return parseMode(env, env.GATEWAY_ENV === "local");
}

type FirstAccount = {
  provider: Provider | undefined;
  minimums: ReturnType<typeof readMinimums>;
  offRamp: Address;
};

function listAccounts(env: Environment, { provider, minimums, offRamp }: FirstAccount): OffRampAccount[] {
  const limitsFrom = (minimum: bigint) => ({ minimum, maximum: null, step: 1n });
  const first: OffRampAccount[] = provider
    ? [
        {
          name: nameAccount(provider),
          provider,
          limits: {
            OFF_RAMP_TO_RTP: limitsFrom(minimums.OFF_RAMP_TO_RTP),
            OFF_RAMP_TO_BANK: limitsFrom(minimums.OFF_RAMP_TO_BANK),
          },
          currencies: null,
          wallets: [{ id: provider.walletId, address: offRamp, currencies: null }],
        },
      ]
    : [];
  const accounts = [...first, ...readAccounts(env.OFF_RAMP_ACCOUNTS, env.OFF_RAMP_TIMEOUT_MS)];
  requireDistinct(accounts);
  return accounts;
}

/** Reads who bears the fees of returned payouts. @throws ConfigError */
export const readFeeBearer = (variables: Record<string, string | undefined>) =>
  parse(Type.Pick(Environment, ["OFF_RAMP_RETURN_FEE"]), variables).OFF_RAMP_RETURN_FEE;

/** @throws ConfigError, which lists every variable that is missing or invalid */
export function readConfig(environment: Record<string, string | undefined> = process.env) {
  const variables = withSecretFiles(environment);
  const schema = Type.Composite([Environment, operatorVariables(variables)]);
  const env = parse(schema, variables) as Environment & OperatorVariables;
  const local = env.GATEWAY_ENV === "local";
  const { operator, signing } = readOperator(env);
  const offRamp = getAddress(env.OFF_RAMP_ADDRESS);
  const others = { OPERATOR: operator, OFF_RAMP_ADDRESS: offRamp };
  const { arbiter, arbiterKey } = readArbiter(env, local, others);
  const provider = readProvider(env);
  const minimums = readMinimums(env);
  return {
    environment: env.GATEWAY_ENV,
    mode: parseMode(env, local),
    databaseUrl: env.DATABASE_URL,
    databasePool: env.DATABASE_POOL,
    chain: {
      id: env.CHAIN_ID,
      rpcUrl: env.RPC_URL,
      wsUrl: env.RPC_WS_URL,
      blockPollMs: env.BLOCK_POLL_MS ?? (local ? MIN_BLOCK_POLL_MS : pollTwicePerBlock(env.BLOCK_TIME)),
      blockTime: env.BLOCK_TIME,
      confirmations: env.CONFIRMATIONS,
      contract: getAddress(env.CONTRACT_ADDRESS),
      startBlock: env.START_BLOCK,
      /** The address and the expected on-chain properties of each currency's token. */
      ...readTokens(env.TOKENS),
      /**
       * Whether the chain is a local node, where test tokens fund any payer and the gateway can impersonate any oracle.
       */
      simulated: local,
      stuckAfterMs: env.STUCK_AFTER_MS,
      /** In wei. */
      maxFeePerGas: gweiToWei(env.MAX_FEE_GWEI),
    },
    network: readNetwork(env, local),
    operator,
    signing,
    arbiter,
    arbiterKey,
    /** Undefined if tokens are not delisted automatically. */
    guardian: readGuardian(env, { ...others, ARBITER: arbiter }),
    offRamp,
    baseUrl: env.BASE_URL,
    paymentPageUrl: env.PAYMENT_PAGE_URL.replace(/\/+$/, ""),
    walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID ?? null,
    http: {
      host: env.HOST,
      port: env.PORT,
      indexerPort: env.INDEXER_PORT,
      settlementPort: env.SETTLEMENT_PORT,
      webhookPort: env.WEBHOOK_PORT,
    },
    drainMs: env.DRAIN_MS ?? (local ? 250 : 10_000),
    logLevel: env.LOG_LEVEL,
    logRequests: env.LOG_REQUESTS,
    rateLimits: readRateLimits(env),
    trustedProxies: parseProxies(env.TRUSTED_PROXIES),
    fundingPeriod: env.FUNDING_PERIOD,
    minDisputeWindow: env.MIN_DISPUTE_WINDOW ?? (local ? 60 : 86_400),
    returnWindow: env.RETURN_WINDOW ?? (local ? 60 : 5 * 86_400),
    settle: {
      batchSize: env.SETTLE_BATCH_SIZE,
      /** Seconds. */
      batchAge: env.SETTLE_BATCH_AGE,
      /** In wei. */
      maxBaseFee: gweiToWei(env.SETTLE_MAX_BASE_FEE_GWEI),
      /** Seconds. */
      maxWait: env.SETTLE_MAX_WAIT,
    },
    /** Undefined if no provider makes real transfers. */
    provider,
    /**
     * Every provider account, starting with the one of `provider`. A new payment uses the first account that serves it.
     */
    accounts: listAccounts(env, { provider, minimums, offRamp }),
    fees: readFees(env),
    conversion: { tolerance: env.CONVERSION_TOLERANCE, rates: parseConversionRates(env.CONVERSION_RATES) },
    returnFeeBearer: env.OFF_RAMP_RETURN_FEE,
    minimums,
    mockPayout: { minMs: env.MOCK_PAYOUT_MIN_MS, maxMs: env.MOCK_PAYOUT_MAX_MS },
    /** Seconds. */
    reconcileInterval: env.RECONCILE_INTERVAL,
    pollIntervalMs: env.POLL_INTERVAL_MS,
    testClock: readTestClock(env, local),
    webhooks: readWebhooks(env, local),
    dashboard: readDashboard(env, local),
  };
}
