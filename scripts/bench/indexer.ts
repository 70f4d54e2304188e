// `npm run bench:indexer`: measures the indexer. Speeds vary between machines and runs, so only their ratio is
// meaningful.
import { parseCommand } from "../shared/command-line.ts";
import { median } from "./shared/load.ts";
import { runParts, say, spread, verdict, within } from "./shared/report.ts";

const HELP = `Measures the indexer's backfill speed, as a ratio to a Ponder app whose handlers insert one row, and how soon the API shows
a transaction.

  npm run bench:indexer -- [PART…]

  PART   backfill, live (default: both)

Exits with 1 if a bar is missed.`;

const { positionals } = parseCommand(HELP, {});

// These modules are loaded only after the arguments have been validated.
const { measureBackfill } = await import("./indexer/backfill.ts");
const { measureLive } = await import("./indexer/live.ts");

/** The indexer's thresholds. */
const BARS = { backfill: 0.7, liveMs: 150 };

/** @returns whether the threshold was met */
async function backfill(): Promise<boolean> {
  const rounds = await measureBackfill();
  const speed = (seconds: (round: (typeof rounds)[number]) => number) =>
    median(rounds.map((round) => round.events / seconds(round))).toFixed(0);
  const ratios = rounds.map(({ ours, baseline }) => baseline.total / ours.total);
  const met = median(ratios) >= BARS.backfill;
  say(
    "backfill",
    `${rounds[0]?.events} events: ${speed(({ ours }) => ours.total)}/s against ${speed(({ baseline }) => baseline.total)}/s ` +
      `of one row each: ratio ${median(ratios).toFixed(2)} (${spread(ratios, 2)}), bar ${BARS.backfill}: ${verdict(met)}`,
  );
  const handlers = rounds.map(({ ours, baseline }) => baseline.handlers / ours.handlers);
  say(
    "backfill",
    `without chain requests: ${speed(({ ours }) => ours.handlers)}/s against ` +
      `${speed(({ baseline }) => baseline.handlers)}/s: ratio ${median(handlers).toFixed(2)} (${spread(handlers, 2)}), no bar`,
  );
  return met;
}

const live = async (): Promise<boolean> =>
  within("live", "from transaction to API", await measureLive(), BARS.liveMs);

await runParts(positionals, { backfill, live });
