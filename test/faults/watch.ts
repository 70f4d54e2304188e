// Polls every payment of a merchant continuously, and records each status with its time.
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Intent } from "#test/api/support/client.ts";
import type { Injected } from "./inject.ts";
import type { Ending } from "./plan.ts";

const EVERY_MS = 250;

/**
 * The first and last time at which a status was seen without another one in between, in Unix milliseconds of the
 * request.
 */
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

/**
 * Statuses that may become REQUIRES_ACTION because the funding failed, or because the payout failed or was returned.
 */
const TROUBLED = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED"];
/** Maximum delay of the gateway's view behind the chain while a part of the gateway is down, in milliseconds. */
const LATE_MS = 30_000;

/** Whether the fault can revert this status. Only a deep reorg or a fake block can revert a confirmed status. */
const takesBack = ({ kind }: Injected, wasDeep: boolean): boolean =>
  kind === "deep_reorg" ||
  kind === "rpc_lies_block" ||
  (!wasDeep && (kind === "reorg" || kind.startsWith("rpc_lies")));

/**
 * Finds and describes the backward status changes that no injected fault explains.
 * @param bankAt Unix milliseconds at which a bank first accepted a transfer, Infinity if none has; from then on, no
 * reorg reverts SETTLED or FINAL, however deep it is
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
    // A lagging standby has not seen the status yet.
    if (faults.some((fault) => fault.kind === "failover" && isIn(fault))) return [];
    const byBank = bankAt <= before.last;
    // Funds that the payee withdrew are settled with their block, and final once that block is confirmed.
    const wasDeep = from !== "PROCESSING" && (byBank || from !== "SETTLED" || to !== "SUCCEEDED");
    const isExplained = faults.some((fault) => takesBack(fault, wasDeep) && isIn(fault));
    const neverGoesBack = byBank && (from === "FINAL" || from === "SETTLED");
    return isExplained && !neverGoesBack
      ? []
      : [`${from} became ${to} at ${new Date(observation.first).toISOString()}`];
  });
}
