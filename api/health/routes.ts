// Endpoints for operators: /health (liveness), /ready (readiness, with the unavailable dependencies) and
// /metrics (Prometheus). They are outside /v1 and its rate limits, because they need not be publicly reachable.
import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { describe } from "#core/log.ts";
import { type Checks, readiness } from "#core/runtime/readiness.ts";
import { STOPPING } from "#core/runtime/shutdown.ts";
import { indexerLag } from "../metrics/indexer-lag.ts";
import type { Services } from "../services.ts";

const hidden = { detail: { hide: true } } as const;

function listParts({ database, client, reader }: Services, prefix: string): Checks {
  return {
    [`${prefix}database`]: async () => {
      await database.execute(sql`select 1`);
      return {};
    },
    [`${prefix}chain`]: async () => ({ block: Number(await client.getBlockNumber({ cacheTime: 0 })) }),
    [`${prefix}indexer`]: () => indexerLag(reader, client),
  };
}

export function healthRoutes(services: Services) {
  const { networks, metrics, drain, log } = services;
  const live = services.config.mode === "live" ? undefined : networks.find("live");
  const parts: Checks = { ...listParts(services, ""), ...(live ? listParts(live, "live_") : {}) };
  return new Elysia()
    .get("/health", () => ({ status: "ok" }), hidden)
    .get(
      "/ready",
      async ({ set }) => {
        if (drain.begun) {
          set.status = 503;
          return STOPPING;
        }
        const { ready, body } = await readiness(parts, (part, error) =>
          log.debug({ part, cause: describe(error) }, "not ready"),
        );
        set.status = ready ? 200 : 503;
        return body;
      },
      hidden,
    )
    .get(
      "/metrics",
      async ({ set }) => {
        set.headers["content-type"] = metrics.contentType;
        return metrics.text();
      },
      hidden,
    );
}
