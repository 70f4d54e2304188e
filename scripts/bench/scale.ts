// `npm run bench:scale`: measures the service's costs with many payments. Pages, statements and bytes are the same on
// every machine; times vary, so only their ratios are meaningful.
import { parseCommand } from "../shared/command-line.ts";
import { parseSizes } from "./scale/sizes.ts";

const HELP = `Measures the cost of statements, payments and idle workers with many payments in the database: fills it with copies of
payments that the service processed, runs API, settlement and indexer on it, and counts pages per statement (pg_stat_statements).

  npm run bench:scale -- [--million] [--sizes SIZES]

  --million       adds sizes of 1M payments (2 % open) and 1.2M (200k open); takes an hour, and up to 40 GB in a temporary folder
  --sizes SIZES   sizes in increasing order, instead of 10k,100k; 1200k:200k sets how many payments are open (default: 2 %)

Exits with 1 if a bar is missed.`;

const { values } = parseCommand(HELP, { million: { type: "boolean" }, sizes: { type: "string" } });
const sizes = parseSizes(values.sizes, values.million ?? false);

// This module is loaded only after the arguments have been validated.
const { runScale } = await import("./scale/run.ts");

const measured: Parameters<Parameters<typeof runScale>[1]>[0][] = [];
await runScale(sizes, (one) => measured.push(one));
const { report } = await import("./scale/report.ts");
process.exit(report(measured) ? 0 : 1);
