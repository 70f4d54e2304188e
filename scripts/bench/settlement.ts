// `npm run bench:settlement`: measures the workers. Speeds vary between machines and runs, so only their ratio is
// meaningful.
import { parseCommand } from "../shared/command-line.ts";
import { median } from "./shared/load.ts";
import { runParts, say, spread, verdict, within } from "./shared/report.ts";

const HELP = `Measures how long a payment waits for the workers, and the payout throughput of one settlement process, as a ratio to the empty jobs that
pg-boss completes on the same database.

  npm run bench:settlement -- [PART…]

  PART   latency, throughput (default: both)

Exits with 1 if a bar is missed.`;

const { positionals } = parseCommand(HELP, {});

// These modules are loaded only after the arguments have been validated.
const { measureLatency } = await import("./settlement/latency.ts");
const { measureThroughput } = await import("./settlement/throughput.ts");

/** The workers' thresholds. */
const BARS = { settledMs: 300, plannedMs: 300, payouts: 300, ratio: 0.5 };

/** @returns whether every bar was met */
async function latency(): Promise<boolean> {
  const { settled, planned } = await measureLatency();
  return [
    within("settlement", "from release to transaction sent", settled, BARS.settledMs),
    within("payout", "from confirmed to payout row", planned, BARS.plannedMs),
  ].every(Boolean);
}

/** @returns whether every bar was met */
async function throughput(): Promise<boolean> {
  const rounds = await measureThroughput();
  const rates = rounds.map(({ paid }) => paid);
  const ratios = rounds.map(({ paid, empty }) => paid / empty);
  const [paid, ratio] = [median(rates), median(ratios)];
  const met = { paid: paid >= BARS.payouts, ratio: ratio >= BARS.ratio };
  say(
    "payouts",
    `${paid.toFixed(0)}/s by one process (${spread(rates)}), bar ${BARS.payouts}: ${verdict(met.paid)}`,
  );
  say(
    "payouts",
    `against ${median(rounds.map(({ empty }) => empty)).toFixed(0)} empty jobs/s: ratio ${ratio.toFixed(2)} ` +
      `(${spread(ratios, 2)}), bar ${BARS.ratio}: ${verdict(met.ratio)}`,
  );
  say(
    "payouts",
    `${median(rounds.map(({ posted }) => posted)).toFixed(0)}/s paid, emitted and posted (no bar)`,
  );
  return met.paid && met.ratio;
}

await runParts(positionals, { latency, throughput });
