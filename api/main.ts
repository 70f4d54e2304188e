// The API's process.
import { connectChain } from "#core/chain/client.ts";
import { connect } from "#core/db/client.ts";
import { createLog, describe } from "#core/log.ts";
import { configured, waitForDeployment } from "#core/role.ts";
import { createApp } from "./app.ts";
import { createServices } from "./services.ts";

const config = configured();
const log = createLog("api", config.logLevel);
const database = connect(config.databaseUrl, {
  max: config.databasePool,
  application: "api",
  onIdleError: (error) => log.warn({ cause: describe(error) }, "database connection lost"),
});

const deployment = await waitForDeployment(config, database, connectChain(config), log);
const services = createServices({ config, database, deployment, log });
const app = createApp(services).listen({
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
  // They would not end by themselves.
  await services.checkouts.stop();
  await app.server?.stop();
  await services.stop();
  await database.$client.end();
  log.info("api stopped");
  process.exit(0);
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
