// Derives the events between two observed statuses of a payment.
import type { IntentStatus } from "#core/model/intent-status.ts";

/** Statuses of a successful payment. A payment has passed through a status even if two polls skipped it. */
const MAIN_LINE = ["INITIATED", "REQUIRES_SIGNATURE", "PROCESSING", "SUCCEEDED", "SETTLED", "FINAL"] as const;

/** A payment may succeed without this status, so it is not filled in. */
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

/** Returns the steps through the main line between two positions, and then to `to`. */
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
  /** The earlier status, which shows how far a REQUIRES_ACTION payment had progressed. */
  before: IntentStatus | null;
};

export type Shown = {
  status: IntentStatus;
  /** Whether the funding was confirmed, which shows where a REQUIRES_ACTION payment stopped. */
  funded: boolean;
};

/** Returns the steps from the last seen status to the current one, in chronological order. Empty if nothing changed. */
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
  // After a retry, the payment is back in the status in which it stopped, or has progressed further.
  if (from === "REQUIRES_ACTION" && end >= start) return along(from, start, end, to);
  return end > start ? along(from, start, end, to) : reverted(from, to);
}
