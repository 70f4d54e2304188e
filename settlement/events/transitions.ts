// From one observed status to the next: the events between them.
import type { IntentStatus } from "#core/model/intent-status.ts";

/** The statuses of a successful payment. A status that was skipped between two polls has happened all the same. */
const MAIN_LINE = ["INITIATED", "REQUIRES_SIGNATURE", "PROCESSING", "SUCCEEDED", "SETTLED", "FINAL"] as const;

/** A payment may succeed without it, so it is not filled in. */
const OPTIONAL: IntentStatus = "REQUIRES_SIGNATURE";

export type Step = { type: string; from: IntentStatus; to: IntentStatus };

const findPosition = (status: IntentStatus): number => (MAIN_LINE as readonly IntentStatus[]).indexOf(status);

const step = (from: IntentStatus, to: IntentStatus): Step => ({
  type: `payment_intent.${to.toLowerCase()}`,
  from,
  to,
});

const reverted = (from: IntentStatus, to: IntentStatus): Step[] => [
  { type: "payment_intent.reverted", from, to },
];

/** The statuses of the main line between two positions, and then `to`. */
function along(start: IntentStatus, place: number, last: number, to: IntentStatus): Step[] {
  const between = MAIN_LINE.slice(place + 1, last).filter((status) => status !== OPTIONAL);
  const steps: Step[] = [];
  let from = start;
  for (const next of [...between, to]) {
    steps.push(step(from, next));
    from = next;
  }
  return steps;
}

export type Seen = {
  status: IntentStatus;
  /** The earlier status: it shows how far a REQUIRES_ACTION payment had got. */
  before: IntentStatus | null;
};

export type Shown = {
  status: IntentStatus;
  /** Whether the funding was confirmed: it shows what a REQUIRES_ACTION is about. */
  funded: boolean;
};

/**
 * The steps from the last seen status to the present one, in the order in which they happened. Empty if nothing
 * changed.
 */
export function stepsBetween(seen: Seen, shown: Shown): Step[] {
  const { status: from } = seen;
  const { status: to } = shown;
  if (from === to) return [];
  if (from === "CANCELED") return reverted(from, to);
  const start = findPosition(from === "REQUIRES_ACTION" ? (seen.before ?? "INITIATED") : from);
  if (to === "CANCELED") return [step(from, to)];
  if (to === "REQUIRES_ACTION")
    return along(from, start, findPosition(shown.funded ? "SUCCEEDED" : "PROCESSING") + 1, to);
  const end = findPosition(to);
  // Retried: back to the status in which it stopped, or further.
  if (from === "REQUIRES_ACTION" && end >= start) return along(from, start, end, to);
  return end > start ? along(from, start, end, to) : reverted(from, to);
}
