// Mutates the escrow's source in one place at a time and runs its Solidity tests. A mutant that no test kills means a
// missing test or an equivalent change. contracts/README.md explains the survivors.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { hardhatCli } from "../devnet/compile-contracts.ts";
import { parseCommand, refuse } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";
import { buildMutants } from "./mutation/mutants.ts";
import type { Change, Verdict } from "./mutation/worker.ts";

const HELP = `Mutates the escrow's source in one place at a time, runs the Solidity tests, and reports the mutants that survive.
Writes only to .data/mutants.

  bun scripts/testing/mutate-contract.ts [--only PART] [--every NUMBER] [--list]

  --only    only mutants whose "file:line " contains PART
  --every   only every NUMBERth mutant (1)
  --list    lists the mutants without running them`;

const { values: options } = parseCommand(HELP, {
  only: { type: "string", default: "" },
  every: { type: "string", default: "1" },
  list: { type: "boolean", default: false },
});
if (!/^[1-9]\d*$/.test(options.every)) refuse("--every must be a whole number above zero.");

const work = join(root, ".data/mutants");
/** The tests take seconds, so a mutant that makes them run this long counts as killed. */
const TIMEOUT_MS = 180_000;

/** Manages the worker process, and replaces it after it had to be killed. */
class Judge {
  #process: Subprocess | undefined;
  #answer: (verdict: Verdict | "killed by time") => void = () => {};

  async judge(change: Change): Promise<Verdict | "killed by time"> {
    this.#process ??= this.#start();
    const { promise, resolve } = Promise.withResolvers<Verdict | "killed by time">();
    this.#answer = resolve;
    const timer = setTimeout(() => {
      this.end();
      resolve("killed by time");
    }, TIMEOUT_MS);
    this.#process.send(change);
    const verdict = await promise;
    clearTimeout(timer);
    return verdict;
  }

  end(): void {
    this.#process?.kill("SIGKILL");
    this.#process = undefined;
  }

  #start(): Subprocess {
    return Bun.spawn([process.execPath, join(root, "scripts/testing/mutation/worker.ts")], {
      cwd: root,
      env: {
        ...process.env,
        HARDHAT_ARTIFACTS: ".data/mutants/artifacts",
        HARDHAT_CACHE: ".data/mutants/cache",
        FUZZ_RUNS: "32",
        INVARIANT_RUNS: "3",
      },
      stdout: "ignore",
      stderr: "inherit",
      ipc: (verdict: Verdict) => this.#answer(verdict),
    });
  }
}

function prepare(): void {
  const built = spawnSync(process.execPath, [hardhatCli, "build"], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) throw new Error("Compiling the contracts failed.");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  cpSync(join(root, "artifacts"), join(work, "artifacts"), { recursive: true });
}

const every = Number(options.every);
const mutants = readdirSync(join(root, "contracts/parts"))
  .sort()
  .map((name) => `contracts/parts/${name}`)
  .flatMap(buildMutants)
  .filter(({ file, line }) => `${file}:${line} `.includes(options.only))
  .filter((_, i) => i % every === 0);
if (mutants.length === 0) refuse(`No mutant's "file:line " contains '${options.only}'.`);
if (options.list) {
  for (const { file, line, what } of mutants) console.log(`${file}:${line} ${what}`);
  console.log(`${mutants.length} mutants`);
  process.exit(0);
}

prepare();
const judge = new Judge();
const escrow = "contracts/DeliveryVsPayment.sol";
const unchanged = { file: escrow, source: readFileSync(join(root, escrow), "utf8") };
if ((await judge.judge(unchanged)) !== "survived")
  throw new Error("The tests fail without any mutant: fix them first.");
const counts = new Map<string, number>();
const begun = performance.now();
const report = (done: number) => {
  const each = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  console.log(`${done} of ${mutants.length} in ${Math.round((performance.now() - begun) / 1000)} s: ${each}`);
};
for (const [i, { file, line, what, source }] of mutants.entries()) {
  const verdict = await judge.judge({ file, source });
  counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  if (verdict === "survived") console.log(`survived  ${file}:${line}  ${what}`);
  if ((i + 1) % 25 === 0) report(i + 1);
}
report(mutants.length);
judge.end();
rmSync(work, { recursive: true, force: true });
