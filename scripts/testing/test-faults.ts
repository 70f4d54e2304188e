// `npm run test:faults`: full gateways under injected faults, run by run, each compared with the ground truth
// (docs/fault-simulation.md).
import type { Outcome } from "#test/faults/simulate.ts";
import type { World } from "#test/faults/world.ts";
import { onParentGone } from "../devnet/end-with-parent.ts";
import { printLine } from "../devnet/screen.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";

const HELP = `Lets payments go through a gateway of its own while its parts are killed, its node lies and its bank fails.

  npm run test:faults -- [--seeds NUMBER] [--first SEED] [--seed SEED] [--together NUMBER]

  --seeds      how many runs (20), from the seed in --first (1) on
  --seed       one run, with this seed
  --together   runs on one gateway, one after the other, before there is a new one (10); every other one, from the first on,
               has two workers

Ends with 1 if anything is not as it must be. What breaks and when is the seed's; how far the gateway has come by then is
the machine's: a seed that failed may need more than one try to fail again.`;

const { values: options } = parseCommand(HELP, {
  seeds: { type: "string", default: "20" },
  first: { type: "string", default: "1" },
  seed: { type: "string" },
  together: { type: "string", default: "10" },
});

function parseInteger(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} is a whole number.`);
}

function printOutcome(outcome: Outcome, { secondWorker }: World): void {
  const { seed, tookMs, findings, faults } = outcome;
  const kinds = faults.map(({ kind, reorg }) => (reorg ? `${kind} ${reorg.depth}` : kind));
  printLine(
    `${findings.length === 0 ? "✓" : "✗"} seed ${seed}  ${(tookMs / 1_000).toFixed(1)} s  ${secondWorker ? "two workers, " : ""}${kinds.join(", ")}`,
  );
  for (const finding of findings) printLine(`    ${finding}`);
  if (findings.length > 0) printLine(`    again: npm run test:faults -- --seed ${seed}`);
}

async function run(): Promise<number> {
  const first = parseInteger("first", options.seed ?? options.first);
  const seeds = options.seed === undefined ? parseInteger("seeds", options.seeds) : 1;
  const together = parseInteger("together", options.together);
  // Loaded after the arguments have been validated.
  const { report } = await import("#test/faults/coverage.ts");
  const { planOf } = await import("#test/faults/plan.ts");
  const { simulate } = await import("#test/faults/simulate.ts");
  const { World } = await import("#test/faults/world.ts");
  printLine(`Seeds ${first} to ${first + seeds - 1}, a new gateway every ${together}.`);
  const outcomes: Outcome[] = [];
  let world: World | undefined;
  let gateways = 0;
  try {
    for (let index = 0; index < seeds; index++) {
      // The next run would find the leftovers of a failed one.
      if (world && (index % together === 0 || outcomes.at(-1)?.findings.length)) {
        await world.stop();
        world = undefined;
      }
      world ??= await World.start({ workers: gateways++ % 2 === 0 ? 2 : 1 });
      const outcome = await simulate(world, planOf(first + index));
      outcomes.push(outcome);
      printOutcome(outcome, world);
    }
  } finally {
    if (outcomes.some(({ findings }) => findings.length > 0)) printLine(`Logs: ${world?.stack.logs}`);
    await world?.stop();
  }
  const { lines, isComplete } = report(outcomes);
  for (const line of lines) printLine(line);
  return isComplete && outcomes.every(({ findings }) => findings.length === 0) ? 0 : 1;
}

onParentGone(() => process.exit(1));

run().then((code) => process.exit(code), fail);
