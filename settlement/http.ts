// The role's own HTTP: whether it lives, and whether it can work.
import type { Server } from "bun";

export type Readiness = () => Promise<void>;

const json = (status: number, body: object) => Response.json(body, { status });

/** @param isReady throws while the role cannot work */
export function serveHealth(
  { host, port }: { host: string; port: number },
  isReady: Readiness,
): Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "GET") return json(405, { status: "method not allowed" });
      if (pathname === "/health") return json(200, { status: "ok" });
      if (pathname !== "/ready") return json(404, { status: "not found" });
      try {
        await isReady();
        return json(200, { status: "ready" });
      } catch {
        // Why, the log says: an address of ours is nobody else's business.
        return json(503, { status: "not ready" });
      }
    },
  });
}
