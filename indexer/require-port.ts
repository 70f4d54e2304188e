// If the configured port is taken, Ponder serves on the next free one, where nobody finds it, and the indexer would
// never appear ready.
import { once } from "node:events";
import { createServer } from "node:net";

/** @throws Error with the code EADDRINUSE if another program listens */
export async function requirePort(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
