// Delivers webhooks. Every endpoint has its own small concurrency limit and its own backlog, so a slow or dead endpoint
// does not delay the others. A failing endpoint gets one attempt at a time.
import { isDatabaseUnavailable } from "#core/db/errors.ts";
import type { Context } from "../runtime/context.ts";
import { Problems } from "../runtime/problems.ts";
import { attempt } from "./attempt.ts";
import { type Claimed, type Free, leaseDeliveries, readLeased } from "./claim.ts";
import { createAttemptWriter } from "./record-attempts.ts";

/** Maximum number of concurrent attempts per endpoint in this process. */
const AT_A_TIME = 5;
/** Maximum number of concurrent attempts across all endpoints. Each one uses a socket, not a thread. */
const ALL_AT_A_TIME = 1_000;
/** How long a lease lasts beyond the request timeout. */
const LEASE_MARGIN_MS = 15_000;
/** Time that attempts in progress may still take when the role stops. */
const STOP_MS = 2_000;

export type Deliverer = {
  /** Starts due deliveries without waiting for the endpoints. */
  run(): Promise<void>;
  stop(): Promise<void>;
};

/** @param wake called when an attempt ends and others may be due, so that the next one can start */
export function createDeliverer(context: Context, wake: () => void): Deliverer {
  const { database, config, log } = context;
  const problems = new Problems(log);
  const record = createAttemptWriter(database);
  const stopping = new AbortController();
  const underWay = new Map<string, Set<Promise<void>>>();
  const failing = new Set<string>();
  let all = 0;
  /** Number of claims so far. */
  let claims = 0;

  /** Returns how many attempts may start, in total and per endpoint. */
  const free = (): Free => ({
    all: ALL_AT_A_TIME - all,
    each: AT_A_TIME,
    except: [...new Set([...failing, ...underWay.keys()])].map((endpointId) => ({
      endpointId,
      free: Math.max(0, (failing.has(endpointId) ? 1 : AT_A_TIME) - (underWay.get(endpointId)?.size ?? 0)),
    })),
  });

  /** Reads the leased deliveries. One that cannot be read keeps its lease and does not stop the others. */
  async function read(ids: readonly string[]): Promise<Claimed[]> {
    try {
      return await readLeased(database, ids);
    } catch (error) {
      const [id] = ids;
      if (id === undefined || isDatabaseUnavailable(error)) throw error;
      if (ids.length > 1) return (await Promise.all(ids.map((one) => read([one])))).flat();
      problems.report(`webhook delivery ${id}`, error);
      return [];
    }
  }

  /** @returns whether other deliveries may be due */
  async function carryOut(claimed: Claimed): Promise<boolean> {
    const { id } = claimed.endpoint;
    let before = claims;
    const store: typeof record = (outcome) => {
      before = claims;
      return record(outcome);
    };
    try {
      const { succeeded, othersDue } = await attempt(context, claimed, store, stopping.signal);
      if (succeeded) failing.delete(id);
      else failing.add(id);
      problems.resolve(`webhook endpoint ${id}`);
      // A claim while the outcome was stored may have passed over a delivery that was added in that time, because an
      // earlier delivery of its intent was in progress.
      return othersDue || claims !== before;
    } catch (error) {
      problems.report(`webhook endpoint ${id}`, error);
      return true;
    }
  }

  function begin(claimed: Claimed): void {
    const { id } = claimed.endpoint;
    const others = underWay.get(id) ?? new Set();
    underWay.set(id, others);
    all++;
    const work = carryOut(claimed).then((areOthersDue) => {
      // Deliveries of other endpoints may have waited for this one.
      const wasFull = all >= ALL_AT_A_TIME;
      all--;
      others.delete(work);
      if (others.size === 0) underWay.delete(id);
      if (areOthersDue || wasFull) wake();
    });
    others.add(work);
  }

  return {
    async run() {
      if (stopping.signal.aborted) return;
      const lease = config.webhooks.timeoutMs + LEASE_MARGIN_MS;
      claims++;
      const ids = await leaseDeliveries(database, free(), lease);
      if (ids.length > 0) for (const claimed of await read(ids)) begin(claimed);
    },
    async stop() {
      const rest = [...underWay.values()].flatMap((works) => [...works]);
      const timer = setTimeout(() => stopping.abort(), STOP_MS);
      await Promise.all(rest);
      clearTimeout(timer);
    },
  };
}
