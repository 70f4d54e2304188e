// Polls every payment of a merchant continuously, and records each status with its time.
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Intent } from "#test/api/support/client.ts";
import type { Injected } from "./inject.ts";
import type { Ending } from "./plan.ts";

const EVERY_MS = 250;

/** First and last time that a status was seen without another in between; Unix milliseconds of the request. */
export type StatusObservation = { status: string; first: number; last: number };

export type Watch = {
  seen: ReadonlyMap<string, readonly StatusObservation[]>;
  answers: () => number;
  stop(): Promise<void>;
};

export function watch(client: Client): Watch {
  const seen = new Map<string, StatusObservation[]>();
  let [stopped, answers] = [false, 0];

  async function look(): Promise<void> {
    const at = Date.now();
    const answer = await client.get<{ data: Intent[] }>("/payment-intents?limit=100").catch(() => undefined);
    if (answer?.status !== 200) return;
    answers++;
    for (const { id, status } of answer.body.data) {
      const observations = seen.get(id) ?? [];
      seen.set(id, observations);
      const last = observations.at(-1);
      if (last?.status === status) last.last = Date.now();
      else observations.push({ status, first: at, last: Date.now() });
    }
  }

  const watching = (async () => {
    while (!stopped) {
      await look();
      await delay(EVERY_MS);
    }
    await look();
  })();
  return {
    seen,
    answers: () => answers,
    async stop() {
      stopped = true;
      await watching;
    },
  };
}

const RANK: Record<string, number> = {
  INITIATED: 0,
  REQUIRES_SIGNATURE: 0,
  PROCESSING: 1,
  REQUIRES_ACTION: 1,
  SUCCEEDED: 2,
  SETTLED: 3,
  FINAL: 4,
  CANCELED: 4,
};

/** Statuses that may become REQUIRES_ACTION: a failed funding, a payout that failed or was returned. */
const TROUBLED = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED"];
/** How far the gateway's view may lag behind the chain while a part of it is down. */
const LATE_MS = 30_000;

/** Reverts what was unconfirmed; a deep reorg may also revert what was confirmed. */
const takesBack = ({ kind }: Injected, wasDeep: boolean): boolean =>
  kind === "deep_reorg" ||
  kind === "rpc_lies_block" ||
  (!wasDeep && (kind === "reorg" || kind.startsWith("rpc_lies")));

/**
 * Finds the backward status changes that no injected fault explains, and describes each in words.
 * @param bankAt Unix milliseconds since when a bank has been paying: from then on no reorg reverts SETTLED or FINAL,
 * however deep it is; Infinity if none has
 */
export function findUnexplainedRegressions(
  observations: readonly StatusObservation[],
  faults: readonly Injected[],
  bankAt = 0,
  ending: Ending | null = null,
): string[] {
  return observations.slice(1).flatMap((observation, index) => {
    const before = observations[index] as StatusObservation;
    const [from, to] = [before.status, observation.status];
    if ((RANK[to] ?? 0) >= (RANK[from] ?? 0)) return [];
    if (to === "REQUIRES_ACTION" && TROUBLED.includes(from)) return [];
    if (to === "REQUIRES_ACTION" && ending === "late_return") return [];
    const isIn = (fault: Injected) => fault.from <= observation.last && fault.to >= before.first - LATE_MS;
    // A lagging standby has not seen it yet.
    if (faults.some((fault) => fault.kind === "failover" && isIn(fault))) return [];
    const byBank = bankAt <= before.last;
    // What the payee withdrew is settled with its block, and final once that is confirmed.
    const wasDeep = from !== "PROCESSING" && (byBank || from !== "SETTLED" || to !== "SUCCEEDED");
    const isExplained = faults.some((fault) => takesBack(fault, wasDeep) && isIn(fault));
    const neverGoesBack = byBank && (from === "FINAL" || from === "SETTLED");
    return isExplained && !neverGoesBack
      ? []
      : [`${from} became ${to} at ${new Date(observation.first).toISOString()}`];
  });
}
