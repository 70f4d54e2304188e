// Polls the newest 100 payments of a merchant four times a second, and records when each status was first and last
// seen.
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Intent } from "#test/api/support/client.ts";
import type { Injected } from "./inject.ts";
import type { Ending } from "./plan.ts";

const POLL_INTERVAL_MS = 250;

/**
 * A period in which every poll returned the same status, in Unix milliseconds: from when the first poll was sent until
 * the last response was received.
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

  async function poll(): Promise<void> {
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
      await poll();
      await delay(POLL_INTERVAL_MS);
    }
    await poll();
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

/** Statuses that become REQUIRES_ACTION if the payout fails or is returned. */
const MAY_REQUIRE_ACTION = ["SUCCEEDED", "SETTLED"];
/**
 * Maximum time after the end of a fault at which the gateway may still show a status from before it, in milliseconds.
 */
const MAX_LAG_MS = 30_000;

/** Whether the fault can revert a status. Only a deep reorg or a fake block can revert a confirmed one. */
const canRevert = ({ kind }: Injected, wasConfirmed: boolean): boolean =>
  kind === "deep_reorg" ||
  kind === "rpc_lies_block" ||
  (!wasConfirmed && (kind === "reorg" || kind.startsWith("rpc_lies")));

/**
 * Finds and describes the backward status changes that no injected fault explains.
 * @param bankAcceptedAt when a bank first accepted a transfer, in Unix milliseconds; Infinity if none has. After this
 * time, no reorg and no fake block may revert SETTLED or FINAL. By default, before every observation
 */
export function findUnexplainedRegressions(
  observations: readonly StatusObservation[],
  faults: readonly Injected[],
  bankAcceptedAt = 0,
  ending: Ending | null = null,
): string[] {
  return observations.slice(1).flatMap((observation, index) => {
    const before = observations[index] as StatusObservation;
    const [from, to] = [before.status, observation.status];
    if ((RANK[to] ?? 0) >= (RANK[from] ?? 0)) return [];
    if (to === "REQUIRES_ACTION" && MAY_REQUIRE_ACTION.includes(from)) return [];
    if (to === "REQUIRES_ACTION" && ending === "late_return") return [];
    const overlaps = (fault: Injected) =>
      fault.from <= observation.last && fault.to >= before.first - MAX_LAG_MS;
    // A failover loses the database's last writes, which may include a status.
    if (faults.some((fault) => fault.kind === "failover" && overlaps(fault))) return [];
    const wasAccepted = bankAcceptedAt <= before.last;
    // A withdrawal by the payee makes the payment SETTLED as soon as its block is mined, and FINAL once that block is
    // confirmed.
    const wasConfirmed = from !== "PROCESSING" && (wasAccepted || from !== "SETTLED" || to !== "SUCCEEDED");
    const isExplained = faults.some((fault) => canRevert(fault, wasConfirmed) && overlaps(fault));
    const isIrreversible = wasAccepted && (from === "FINAL" || from === "SETTLED");
    return isExplained && !isIrreversible
      ? []
      : [`${from} became ${to} at ${new Date(observation.first).toISOString()}`];
  });
}
