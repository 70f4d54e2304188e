// Ponder serves on the next free port where the one that is configured is taken: nobody finds it there, and the indexer would
// look as if it were never ready.
import { once } from "node:events";
import { createServer } from "node:net";

/** @throws Error with the code EADDRINUSE where another program listens */
export async function requirePort(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
