// The settlement role's process.
import { createLog } from "#core/log.ts";
import { configured } from "#core/role.ts";
import { serveHealth } from "./http.ts";
import { startRole } from "./role.ts";

const config = configured();
const log = createLog("settlement", config.logLevel);
const role = startRole(config, log, (error) => {
  log.fatal(error.message);
  process.exit(1);
});
const server = serveHealth({ host: config.http.host, port: config.http.settlementPort }, () =>
  role.checkReady(),
);
log.info({ port: server.port }, "listening");

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    await server.stop();
    await role.stop();
    log.info("stopped");
    process.exit(0);
  });
}
