// The settlement role's HTTP for operators, like the API's (api/health/routes.ts): /health (the process is alive),
// /ready (it can work; otherwise what is missing) and /metrics.
import type { Server } from "bun";
import type { Registry } from "prom-client";
import { type Parts, readiness } from "#core/runtime/readiness.ts";
import { type Drain, STOPPING } from "#core/runtime/shutdown.ts";

const json = (status: number, body: object) => Response.json(body, { status });

const get = (answer: () => Response | Promise<Response>) => (request: Request) =>
  request.method === "GET" ? answer() : json(405, { status: "method not allowed" });

export type HealthOptions = {
  host: string;
  port: number;
  /** The process's dependencies. */
  parts: Parts;
  metrics: Registry;
  drain: Drain;
  /** Called with the reason of a failure: our addresses are not public. */
  onProblem: (what: string, error: unknown) => void;
};

export const serveHealth = ({
  host,
  port,
  parts,
  metrics,
  drain,
  onProblem,
}: HealthOptions): Server<undefined> =>
  Bun.serve({
    hostname: host,
    port,
    // Errors without an excerpt of the source.
    development: false,
    routes: {
      "/health": get(() => json(200, { status: "ok" })),
      "/ready": get(async () => {
        if (drain.begun) return json(503, STOPPING);
        const { ready, body } = await readiness(parts, onProblem);
        return json(ready ? 200 : 503, body);
      }),
      "/metrics": get(
        async () =>
          new Response(await metrics.metrics(), { headers: { "Content-Type": metrics.contentType } }),
      ),
    },
    fetch: () => json(404, { status: "not found" }),
  });
