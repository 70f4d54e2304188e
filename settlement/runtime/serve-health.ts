// Serves the settlement role's HTTP endpoints for operators, like those of the API (api/health/routes.ts): /health
// (whether the process is alive), /ready (whether it can work, and what is missing if not) and /metrics.
import type { Server } from "bun";
import type { Registry } from "prom-client";
import { type Checks, readiness } from "#core/runtime/readiness.ts";
import { type Drain, STOPPING } from "#core/runtime/shutdown.ts";

const json = (status: number, body: object) => Response.json(body, { status });

const get = (answer: () => Response | Promise<Response>) => (request: Request) =>
  request.method === "GET" ? answer() : json(405, { status: "method not allowed" });

export type HealthOptions = {
  host: string;
  port: number;
  /** The process's dependencies. */
  parts: Checks;
  metrics: Registry;
  drain: Drain;
  /** Called with the reason of a failure. Responses do not contain it, because our addresses are not public. */
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
    // Error pages must not contain a source excerpt.
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
