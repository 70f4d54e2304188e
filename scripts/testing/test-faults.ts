// `npm run test:faults`: runs full gateways under injected faults, and compares each run with the ground truth
// (docs/fault-simulation.md).
import type { Outcome } from "#test/faults/simulate.ts";
import type { World } from "#test/faults/world.ts";
import { onParentGone } from "../devnet/end-with-parent.ts";
import { printLine } from "../devnet/screen.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";

const HELP = `Runs payments through a separate gateway while its processes are killed, its node lies and its bank fails.

  npm run test:faults -- [--seeds NUMBER] [--first SEED] [--seed SEED] [--together NUMBER]

  --seeds      number of runs (20), starting with the seed in --first (1)
  --seed       a single run with this seed
  --together   number of consecutive runs per gateway (10); every other gateway, starting with the first, has two settlement processes

Exits with 1 if anything is wrong. The seed determines what breaks and when, but the gateway's progress by then depends on
the machine: a failed seed may need several attempts to fail again.`;

const { values: options } = parseCommand(HELP, {
  seeds: { type: "string", default: "20" },
  first: { type: "string", default: "1" },
  seed: { type: "string" },
  together: { type: "string", default: "10" },
});

function parseInteger(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} must be a whole number.`);
}

function printOutcome(outcome: Outcome, { secondSettlement }: World): void {
  const { seed, tookMs, findings, faults } = outcome;
  const kinds = faults.map(({ kind, reorg }) => (reorg ? `${kind} ${reorg.depth}` : kind));
  printLine(
    `${findings.length === 0 ? "✓" : "✗"} seed ${seed}  ${(tookMs / 1_000).toFixed(1)} s  ${secondSettlement ? "two settlement processes, " : ""}${kinds.join(", ")}`,
  );
  for (const finding of findings) printLine(`    ${finding}`);
  if (findings.length > 0) printLine(`    to repeat: npm run test:faults -- --seed ${seed}`);
}

async function run(): Promise<number> {
  const first = parseInteger("first", options.seed ?? options.first);
  const seeds = options.seed === undefined ? parseInteger("seeds", options.seeds) : 1;
  const together = parseInteger("together", options.together);
  // These modules are loaded only after the arguments have been validated.
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
      // A failed run leaves data behind that would affect the next run.
      if (world && (index % together === 0 || outcomes.at(-1)?.findings.length)) {
        await world.stop();
        world = undefined;
      }
      world ??= await World.start({ settlements: gateways++ % 2 === 0 ? 2 : 1 });
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
