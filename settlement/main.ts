// The settlement role's process.
import { sql } from "drizzle-orm";
import { connectChain } from "#core/chain/client.ts";
import { connect } from "#core/db/client.ts";
import { createLog, describe } from "#core/log.ts";
import type { Parts } from "#core/readiness.ts";
import { configured } from "#core/role.ts";
import { serveRole } from "./http.ts";
import { createMetrics } from "./metrics.ts";
import { serveWebhooks } from "./offramp/serve-webhooks.ts";
import { startRole } from "./role.ts";

const config = configured();
const log = createLog("settlement", config.logLevel);
const role = startRole(config, log, (error) => {
  log.fatal(error.message);
  process.exit(1);
});

// Of its own: whoever asks how the workers are must not wait for what they hold.
const database = connect(config.databaseUrl, { application: "settlement-health", max: 2 });
const client = connectChain(config);
const parts: Parts = {
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
const metrics = createMetrics({ database, client, operator: config.operator });
const onProblem = (what: string, error: unknown) => log.debug({ what, cause: describe(error) }, "not served");
const server = serveRole({
  host,
  port: settlementPort,
  parts,
  metrics,
  onProblem,
});
const webhooks = config.provider
  ? serveWebhooks({ host, port: webhookPort, metrics, receive: role.receiveWebhook, onProblem })
  : undefined;
log.info({ port: server.port, webhookPort: webhooks?.port }, "listening");

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    await Promise.all([webhooks?.stop(), server.stop()]);
    await role.stop();
    await database.$client.end();
    log.info("stopped");
    process.exit(0);
  });
}
