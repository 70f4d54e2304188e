// If the configured port is in use, Ponder listens on the next free port. Health checks would not find that
// port, so the indexer would never appear ready.
import { once } from "node:events";
import { createServer } from "node:net";

/** @throws Error with the code EADDRINUSE if another program listens on the port */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
