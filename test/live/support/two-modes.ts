// The API with a test network and a live network, each with its own database, but without chains, indexers or ports.
// The merchant has the same id on both networks.
import { generateKeyPairSync } from "node:crypto";
import { eq } from "drizzle-orm";
import pino from "pino";
import { createApp } from "#api/app.ts";
import { createServices } from "#api/create-services.ts";
import { newKey, storeKey } from "#core/api-keys/api-keys.ts";
import { restoreTerms } from "#core/chain/terms.ts";
import { readNetworks } from "#core/config/live-config.ts";
import { indexerBuild } from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { requestLog } from "#core/db/schema/requests.ts";
import { type IntentId, orderIdOfIntent } from "#core/ids.ts";
import { nameIndexerBuild } from "#core/indexer-state/indexer-build.ts";
import type { Mode } from "#core/model/mode.ts";
import { createUser } from "#core/users/users.ts";
import type { Answer, ErrorBody } from "#test/api/support/client.ts";
import { cookieOf, type Login } from "#test/api/support/session.ts";
import { CONTRACT, MERCHANT, makeWorld, OFF_RAMP, PAYER, USDC } from "#test/settlement/support/world.ts";

const ORIGIN = "http://localhost";
const TOKENS = JSON.stringify({ USDC, USDT: CONTRACT, DAI: OFF_RAMP });

const SETTINGS = {
  GATEWAY_ENV: "local",
  RPC_URL: "http://127.0.0.1:1",
  CHAIN_ID: "31337",
  CONTRACT_ADDRESS: CONTRACT,
  TOKENS,
  OPERATOR_KEY: `0x${"4".repeat(64)}`,
  ARBITER_KEY: `0x${"7".repeat(64)}`,
  OFF_RAMP_ADDRESS: OFF_RAMP,
  BASE_URL: `${ORIGIN}/v1`,
  PAYMENT_PAGE_URL: `${ORIGIN}/pay`,
  DASHBOARD_SECRET: "ab".repeat(32),
  TEST_CLOCK: "on",
  LIVE_RPC_URL: "http://127.0.0.1:1",
  LIVE_CHAIN_ID: "31337",
  LIVE_CONTRACT_ADDRESS: CONTRACT,
  LIVE_TOKENS: TOKENS,
  LIVE_OPERATOR_KEY: `0x${"5".repeat(64)}`,
  LIVE_ARBITER_ADDRESS: "0x00000000000000000000000000000000000a7b17",
  LIVE_OFF_RAMP_ADDRESS: OFF_RAMP,
  LIVE_WEBHOOK_SECRET_KEY: "6".repeat(64),
  LIVE_OFF_RAMP_API_URL: "http://127.0.0.1:1",
  LIVE_OFF_RAMP_API_KEY: "key",
  LIVE_OFF_RAMP_CUSTOMER_ID: "customer",
  LIVE_OFF_RAMP_WALLET_ID: "wallet",
  LIVE_OFF_RAMP_WEBHOOK_KEY: generateKeyPairSync("rsa", { modulusLength: 2048 })
    .publicKey.export({ type: "spki", format: "pem" })
    .toString(),
};

async function openNetwork(prefix: "sk_test_" | "sk_live_") {
  const world = await makeWorld();
  const { databaseUrl } = world;
  const { database, reads, deployment } = world.context;
  await database.update(indexerBuild).set({ build: nameIndexerBuild(deployment) });
  const apiKey = newKey(prefix);
  await storeKey(database, MERCHANT, apiKey);
  return {
    ...world,
    databaseUrl,
    apiKey,
    resources: { database, reads, deployment },
    /** Indexes the order of an intent. @param status the contract's order status */
    async fund(id: IntentId, status = 0) {
      const [row] = await database.select().from(intent).where(eq(intent.id, id));
      if (!row) throw new Error(`No such intent: ${id}.`);
      await world.chain.fund(orderIdOfIntent(row.id), restoreTerms(row.terms), 0, PAYER);
      await world.chain.change(orderIdOfIntent(row.id), 0, { status });
    },
  };
}

export async function startTwoModes() {
  const [test, live] = await Promise.all([openNetwork("sk_test_"), openNetwork("sk_live_")]);
  const configs = readNetworks({
    ...SETTINGS,
    DATABASE_URL: test.databaseUrl,
    LIVE_DATABASE_URL: live.databaseUrl,
  });
  if (!configs.live) throw new Error("No live network is configured.");
  const services = createServices({
    ...test.resources,
    config: configs.own,
    live: { ...live.resources, config: configs.live },
    log: pino({ level: "silent" }),
  });
  const app = createApp(services);
  const request = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    app.handle(
      new Request(`${ORIGIN}${path}`, {
        method,
        headers: { Host: "localhost", "Content-Type": "application/json", ...headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
  return {
    test,
    live,
    async send<T = ErrorBody>(
      by: Record<string, string>,
      method: string,
      path: string,
      body?: object,
    ): Promise<Answer<T>> {
      const response = await request(method, path, by, body);
      return { status: response.status, headers: response.headers, body: (await response.json()) as T };
    },
    /** Creates a dashboard user. @returns a function that returns the headers of their requests in a mode */
    async signIn(user: { email: string; liveMerchantId?: string }) {
      const login: Login = { email: user.email, password: "a long password" };
      await createUser(test.context.database, { ...user, ...login, name: "User", merchantId: MERCHANT });
      const signedIn = await request("POST", "/dashboard/auth/sign-in/email", { Origin: ORIGIN }, login);
      const Cookie = cookieOf(signedIn);
      return (mode: Mode) => ({ Cookie, Origin: ORIGIN, "X-Dashboard-Mode": mode });
    },
    /** Returns the request ids in a network's log. */
    async loggedIn(mode: Mode) {
      const { database, requestLog: log } = services.networks.of(mode);
      await log.stop();
      return database.select({ requestId: requestLog.requestId, mode: requestLog.mode }).from(requestLog);
    },
    async stop() {
      await services.endStreams();
      await services.stop();
      await Promise.all([test.close(), live.close()]);
    },
  };
}

export type TwoModes = Awaited<ReturnType<typeof startTwoModes>>;
