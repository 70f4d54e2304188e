// The role's own HTTP: whether it lives, whether it can work and if not what is missing, and its metrics.
import type { Server } from "bun";
import type { Registry } from "prom-client";
import { type Parts, readiness } from "#core/readiness.ts";

const json = (status: number, body: object) => Response.json(body, { status });

/**
 * @param parts what the role stands on
 * @param onMissing told why a part is not there: an address of ours is nobody else's business
 */
export function serveHealth(
  { host, port }: { host: string; port: number },
  parts: Parts,
  metrics: Registry,
  onMissing: (part: string, error: unknown) => void,
): Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "GET") return json(405, { status: "method not allowed" });
      if (pathname === "/health") return json(200, { status: "ok" });
      if (pathname === "/metrics") {
        return new Response(await metrics.metrics(), { headers: { "Content-Type": metrics.contentType } });
      }
      if (pathname !== "/ready") return json(404, { status: "not found" });
      const { ready, body } = await readiness(parts, onMissing);
      return json(ready ? 200 : 503, body);
    },
  });
}
