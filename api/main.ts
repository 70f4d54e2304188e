// The API's process.
import { setTimeout as delay } from "node:timers/promises";
import { connectChain, isUnreachable } from "#core/chain/client.ts";
import { readConfig } from "#core/config.ts";
import { connect } from "#core/db/client.ts";
import { isDatabaseAway } from "#core/db/errors.ts";
import { currentDeployment } from "#core/deployment.ts";
import { createLog, describe } from "#core/log.ts";
import { createApp } from "./app.ts";
import { createServices } from "./services.ts";

const RETRY_MS = 500;

const config = readConfig();
const log = createLog("api", config.logLevel);
const database = connect(config.databaseUrl, {
  max: config.databasePool,
  application: "api",
  onIdleError: (error) => log.warn({ cause: describe(error) }, "database connection lost"),
});

/** Waits for the database and the chain; both may be on their way up. */
async function waitForDeployment() {
  for (;;) {
    try {
      return await currentDeployment(database, connectChain(config), config);
    } catch (error) {
      if (!isDatabaseAway(error) && !isUnreachable(error)) throw error;
      log.warn({ cause: describe(error) }, "waiting for database and chain");
      await delay(RETRY_MS);
    }
  }
}

const deployment = await waitForDeployment();
const app = createApp(createServices({ config, database, deployment, log })).listen({
  hostname: config.http.host,
  port: config.http.port,
  // Two processes on one port would share its callers by chance; a port in use must be an error.
  reusePort: false,
});
log.info({ port: app.server?.port }, "api listening");

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  await app.server?.stop();
  await database.$client.end();
  log.info("api stopped");
  process.exit(0);
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
