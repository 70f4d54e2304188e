// Entry point of the settlement role's process.
import { sql } from "drizzle-orm";
import { connectChain } from "#core/chain/client.ts";
import { connect } from "#core/db/client.ts";
import { createLog, describe } from "#core/log.ts";
import type { Checks } from "#core/runtime/readiness.ts";
import { Drain, stopOnSignal } from "#core/runtime/shutdown.ts";
import { configured } from "#core/runtime/startup.ts";
import { createMetrics } from "./metrics.ts";
import { serveWebhooks } from "./off-ramp/serve-webhooks.ts";
import { startRole } from "./role.ts";
import { serveHealth } from "./runtime/serve-health.ts";

const config = configured();
const log = createLog("settlement", config.logLevel);
const role = startRole(config, log, (error) => {
  log.fatal(error.message);
  process.exit(1);
});

// Health checks have their own connections, so that they do not wait for the workers' connections.
const database = connect(config.databaseUrl, { application: "settlement-health", max: 2 });
const client = connectChain(config);
const parts: Checks = {
  database: async () => {
    await database.execute(sql`select 1`);
    return {};
  },
  chain: async () => ({ block: Number(await client.getBlockNumber({ cacheTime: 0 })) }),
  workers: async () => {
    await role.checkReady();
    return {};
  },
};
const { host, settlementPort, webhookPort } = config.http;
const { contract, tokens } = config.chain;
const metrics = createMetrics({
  ...{ database, client, operator: config.operator, guardian: config.guardian?.address },
  watched: { contract, tokens, offRamp: config.offRamp },
});
const onProblem = (what: string, error: unknown) =>
  log.debug({ what, cause: describe(error) }, "request failed");
const drain = new Drain();
const server = serveHealth({
  host,
  port: settlementPort,
  parts,
  metrics,
  drain,
  onProblem,
});
const webhooks =
  config.accounts.length > 0
    ? serveWebhooks({ host, port: webhookPort, metrics, drain, receive: role.receiveWebhook, onProblem })
    : undefined;
log.info({ port: server.port, webhookPort: webhooks?.port }, "listening");

stopOnSignal(log, async () => {
  // Load balancers forward only webhooks to this role, so only webhooks have to be drained.
  await drain.begin(webhooks ? config.drainMs : 0);
  await webhooks?.stop();
  await role.stop();
  await server.stop();
  await database.$client.end();
});
