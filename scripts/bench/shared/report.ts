// Runs the parts of a benchmark and reports the results.
import { refuse } from "../../shared/command-line.ts";
import { median } from "./load.ts";

/** Prints one line under a short name. */
export const say = (name: string, text: string): void => console.log(`${name.padEnd(12)}${text}`);

export const verdict = (met: boolean): string => (met ? "met" : "MISSED");

/** Formats the minimum and the maximum of the values. */
export const spread = (values: number[], digits = 0): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;

/** Reports durations. @returns whether the median is below the threshold */
export function within(name: string, what: string, times: number[], barMs: number): boolean {
  const met = median(times) < barMs;
  say(
    name,
    `${what}: median ${median(times).toFixed(0)} ms (${spread(times)}), bar ${barMs} ms: ${verdict(met)}`,
  );
  return met;
}

/**
 * Runs the requested parts in sequence (by default all), then exits the process, with 1 if a threshold was missed.
 * @param parts functions by name; each returns whether its thresholds were met
 */
export async function runParts(
  asked: readonly string[],
  parts: Record<string, () => Promise<boolean>>,
): Promise<never> {
  const unknown = asked.find((name) => !(name in parts));
  if (unknown !== undefined) {
    refuse(`Unknown part '${unknown}'. Parts: ${Object.keys(parts).join(", ")}.`);
  }
  let met = true;
  for (const [name, run] of Object.entries(parts)) {
    if (asked.length === 0 || asked.includes(name)) met = (await run()) && met;
  }
  process.exit(met ? 0 : 1);
}
