// Coverage across runs: a fault that never had an effect has tested nothing.
import { ENDINGS, FATES, FAULT_KINDS, METHODS, STORIES } from "./plan.ts";
import type { Outcome } from "./simulate.ts";

/** From this number of runs, everything that can happen must have happened at least once. */
export const MANY_RUNS = 50;

type Counts = Record<string, number>;

function count<T extends string>(all: readonly T[], happened: Iterable<T>): Counts {
  const counts: Counts = Object.fromEntries(all.map((one) => [one, 0]));
  for (const one of happened) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

const say = (title: string, counts: Counts): string =>
  `${title.padEnd(14)}${Object.entries(counts)
    .map(([name, times]) => `${name} ${times}`)
    .join(", ")}`;

const neverOf = (counts: Counts): string[] => Object.keys(counts).filter((name) => counts[name] === 0);

/** @returns the lines to print, and whether a large number of runs has covered everything */
export function report(outcomes: readonly Outcome[]): { lines: string[]; isComplete: boolean } {
  const faults = outcomes.flatMap((outcome) => outcome.faults);
  const payments = outcomes.flatMap((outcome) => outcome.payments);
  const met = outcomes.flatMap((outcome) => outcome.met);
  const total = (of: (one: (typeof met)[number]) => number) => met.reduce((sum, one) => sum + of(one), 0);
  const ends: Counts = {};
  for (const outcome of outcomes) {
    for (const [status, times] of Object.entries(outcome.ends)) ends[status] = (ends[status] ?? 0) + times;
  }
  const kinds = count(
    FAULT_KINDS,
    faults.filter(({ hits }) => hits > 0).map(({ kind }) => kind),
  );
  const depths = count(
    [],
    faults.flatMap(({ reorg }) => (reorg ? [`${reorg.depth} deep`] : [])),
  );
  const stories = count(
    STORIES,
    payments.map(({ story }) => story),
  );
  const methods = count(
    METHODS,
    payments.map(({ method }) => method as (typeof METHODS)[number]),
  );
  const fates = count(
    FATES,
    payments.map(({ fate }) => fate),
  );
  const endings = count(
    ENDINGS,
    payments.flatMap(({ ending }) => ending ?? []),
  );
  const times = outcomes.map(({ tookMs }) => tookMs / 1_000).sort((a, b) => a - b);
  const failed = outcomes.filter(({ findings }) => findings.length > 0).map(({ seed }) => seed);
  const never = [kinds, stories, methods, fates, endings].flatMap(neverOf);
  const many = outcomes.length >= MANY_RUNS;
  return {
    lines: [
      "",
      `${outcomes.length} runs, ${failed.length} failed${failed.length > 0 ? `: seeds ${failed.join(", ")}` : ""}`,
      `${"seconds a run".padEnd(14)}median ${times[times.length >> 1]?.toFixed(1)}, longest ${times.at(-1)?.toFixed(1)}`,
      say("payments", stories),
      say("off-ramps", methods),
      say("payouts", fates),
      say("afterwards", endings),
      say("faults met", kinds),
      say("reorgs", depths),
      say("ends", ends),
      say("clients", {
        "looks answered": outcomes.reduce((sum, { looks }) => sum + looks, 0),
        unreachable: total(({ unreachable }) => unreachable),
        unavailable: total(({ unavailable }) => unavailable),
        refused: total(({ refused }) => refused.length),
      }),
      `${"losses".padEnd(14)}${outcomes.filter(({ losses }) => losses > 0n).length} runs booked one`,
      ...(many && never.length > 0 ? [`NEVER HAPPENED: ${never.join(", ")}`] : []),
    ],
    isComplete: !many || never.length === 0,
  };
}
