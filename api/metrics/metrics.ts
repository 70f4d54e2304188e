// The Prometheus metrics of the API.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ChainClient } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import type { IntentReader } from "#core/intent/read-intent.ts";
import { inTime } from "#core/runtime/readiness.ts";
import { type IndexerLag, indexerLag } from "./indexer-lag.ts";

/**
 * Histogram buckets in seconds. Most responses take milliseconds, but waiting for the chain or a lock can take
 * longer.
 */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const VERBS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

/** A network, whose mode (`test` or `live`) is the label `network`. */
type Network = { config: Config; database: Database; client: ChainClient; reader: IntentReader };

type Observed = Pick<Histogram.Internal<"method" | "route" | "status">, "observe">;

export class Metrics {
  readonly #registry = new Registry();
  readonly #durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Duration of responses by route and status; its count is the number of requests.",
    labelNames: ["method", "route", "status"],
    buckets: BUCKETS,
    registers: [this.#registry],
  });
  readonly #refusals = new Counter({
    name: "rate_limit_rejections_total",
    help: "Rejected requests, by the rate limit window that was exhausted.",
    labelNames: ["window"],
    registers: [this.#registry],
  });
  /** Caches the labeled histograms, because a look-up by labels costs more than an observation. */
  readonly #observed = new Map<string, Observed>();

  constructor(networks: readonly Network[]) {
    observePools(this.#registry, networks);
    observeIndexers(this.#registry, networks);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  answered(method: string, route: string, status: number, ms: number): void {
    const name = `${method} ${route} ${status}`;
    let observed = this.#observed.get(name);
    if (!observed) {
      // Callers can send arbitrary methods, which must not create new time series.
      const verb = VERBS.has(method) ? method : "other";
      observed = this.#durations.labels(verb, route, String(status));
      if (verb === method) this.#observed.set(name, observed);
    }
    observed.observe(ms / 1000);
  }

  readonly refused = (window: string): void => this.#refusals.inc({ window });

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function observePools(registry: Registry, networks: readonly Network[]): void {
  new Gauge({
    name: "database_pool_connections",
    help: "Database connections in use and idle, and requests that wait for one.",
    labelNames: ["network", "state"],
    registers: [registry],
    collect() {
      for (const { config, database } of networks) {
        const [network, pool] = [config.mode, database.$client];
        this.set({ network, state: "used" }, pool.totalCount - pool.idleCount);
        this.set({ network, state: "idle" }, pool.idleCount);
        this.set({ network, state: "waiting" }, pool.waitingCount);
      }
    },
  });
}

/** Returns a function that reads the lag. Concurrent calls share one read, because two gauges show the lag. */
function createLagReader({ reader, client }: Network): () => Promise<IndexerLag | undefined> {
  let pending: Promise<IndexerLag | undefined> | undefined;
  return () => {
    pending ??= inTime(indexerLag(reader, client))
      .catch(() => undefined)
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
}

function observeIndexers(registry: Registry, networks: readonly Network[]): void {
  const readers = networks.map((network) => ({
    network: network.config.mode,
    readLag: createLagReader(network),
  }));
  const gauge = (name: string, help: string, measure: (lag: IndexerLag) => number) =>
    new Gauge({
      name,
      help: `${help}; NaN while unknown.`,
      labelNames: ["network"],
      registers: [registry],
      async collect() {
        await Promise.all(
          readers.map(async ({ network, readLag }) => {
            const lag = await readLag();
            this.set({ network }, lag ? measure(lag) : Number.NaN);
          }),
        );
      },
    });
  gauge(
    "indexer_lag_seconds",
    "Time of the chain's latest block minus that of the last indexed block",
    (lag) => lag.lagSeconds,
  );
  gauge("indexer_lag_blocks", "Blocks of the chain that are not indexed yet", (lag) => lag.lagBlocks);
}
