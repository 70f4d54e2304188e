// Starts the API process.
import { connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import { connect, READERS_LOCK_TIMEOUT } from "#core/db/client.ts";
import { createLog, describe } from "#core/log.ts";
import { stopOnSignal } from "#core/runtime/shutdown.ts";
import { configuredNetworks, waitForDeployment, waitForSigner } from "#core/runtime/startup.ts";
import { createApp } from "./app.ts";
import { createServices } from "./create-services.ts";
import type { NetworkResources } from "./services.ts";

/** Maximum number of a network's connections that are reserved for prepared reads (`reads` in services.ts). */
const MAX_READ_CONNECTIONS = 4;

const networks = configuredNetworks();
const config = networks.own;
const log = createLog("api", config.logLevel);

async function openNetwork(network: Config): Promise<NetworkResources> {
  const { mode } = network;
  const shared = {
    lockTimeout: READERS_LOCK_TIMEOUT,
    application: "api",
    onIdleError: (error: Error) => log.warn({ mode, cause: describe(error) }, "database connection lost"),
  };
  const readConnections = Math.min(MAX_READ_CONNECTIONS, network.databasePool - 1);
  const database = connect(network.databaseUrl, { ...shared, max: network.databasePool - readConnections });
  const reads = connect(network.databaseUrl, { ...shared, max: readConnections, plans: "kept" });
  const deployment = await waitForDeployment({
    ...{ config: network, database, client: connectChain(network) },
    log: log.child({ mode }),
  });
  await waitForSigner(network, log);
  return { config: network, database, reads, deployment };
}

const own = await openNetwork(config);
const live = networks.live && (await openNetwork(networks.live));
const services = createServices({ ...own, ...(live ? { live } : {}), log });
const app = createApp(services).listen({
  hostname: config.http.host,
  port: config.http.port,
  // With `true`, Elysia's default, a second process can listen on the same port, and the kernel distributes connections
  // between the two. A port in use must be an error instead.
  reusePort: false,
});
log.info({ port: app.server?.port, live: live !== undefined }, "api listening");

stopOnSignal(log, async () => {
  await services.drain.begin(config.drainMs);
  await services.endStreams();
  await app.server?.stop();
  await services.stop();
  const pools = [own, live].flatMap((network) => (network ? [network.database, network.reads] : []));
  await Promise.all(pools.map(({ $client }) => $client.end()));
});
