// `npm run test:proof`: proves the escrow's properties with z3 (test/proof; contracts/README.md lists them).
import type { Verdict } from "#test/proof/proof.ts";
import { printLine, seconds } from "../devnet/screen.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";

const HELP = `Proves the laws of the escrow contract for every order, amount, time and history, and shows that the proof fails if any
one of the required fixes is removed. Prints each obligation with its duration.

  npm run test:proof -- [--only TEXT]

  --only   only obligations with this text in their name

Exits with 1 if an obligation is not proven, and prints its counterexample.`;

const { values: options } = parseCommand(HELP, { only: { type: "string", default: "" } });

async function run(): Promise<number> {
  // These modules are loaded only after the arguments have been validated.
  const { formatCounterexample } = await import("#test/proof/counterexample.ts");
  const { mutants } = await import("#test/proof/mutants.ts");
  const { decide, obligations } = await import("#test/proof/proof.ts");
  const { Solver } = await import("#test/proof/smt/solver.ts");
  const isWanted = (name: string) => name.includes(options.only);
  const start = performance.now();
  const solver = await Solver.start();
  const counts = { proven: 0, failed: 0, contradicted: 0 };

  const report = (name: string, verdict: Verdict, expected: Verdict["kind"], tookMs: number) => {
    const isExpected = verdict.kind === expected;
    printLine(`${isExpected ? "✓" : "✗"} ${name}  ${seconds(tookMs)}`);
    if (!isExpected) {
      counts.failed++;
      if (verdict.kind === "unknown") printLine(`    neither proven nor contradicted: ${verdict.reason}`);
      if (verdict.kind === "proven") printLine("    still proven: no obligation detects the change");
      if (verdict.kind === "contradicted")
        for (const line of formatCounterexample(verdict.values)) printLine(`    ${line}`);
    } else if (expected === "proven") counts.proven++;
    else counts.contradicted++;
  };

  try {
    for (const obligation of obligations()) {
      const name = `${obligation.part}: ${obligation.name}`;
      if (!isWanted(name)) continue;
      const began = performance.now();
      const verdict = await decide(solver, obligation);
      report(name, verdict, "proven", performance.now() - began);
    }
    for (const { name: mutant, obligation } of mutants()) {
      const name = `${mutant}, contradicted: ${obligation.part}: ${obligation.name}`;
      if (!isWanted(name)) continue;
      const began = performance.now();
      const verdict = await decide(solver, obligation);
      report(name, verdict, "contradicted", performance.now() - began);
    }
  } finally {
    solver.stop();
  }
  if (counts.proven + counts.contradicted + counts.failed === 0)
    refuse(`No obligation has '${options.only}' in its name.`);
  const took = seconds(performance.now() - start);
  printLine(
    `${counts.proven} obligations proven, ${counts.contradicted} mutants contradicted, ${counts.failed} failed, in ${took}`,
  );
  return counts.failed === 0 ? 0 : 1;
}

run().then((code) => process.exit(code), fail);
