// Runs every command in a copy of the checkout, next to a gateway that appears to be running. `--help` must only print
// the usage, and unknown arguments must be rejected with a sentence before any other effect.
import { afterAll, beforeAll, describe, it } from "bun:test";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob, type Socket, type Subprocess } from "bun";
import { expect } from "chai";
import pLimit from "p-limit";
import packageJson from "../../package.json";
import COMMANDS from "../commands.json";
import { identify } from "../devnet/process-identity.ts";
import { root } from "../shared/paths.ts";

/** Names of the npm scripts; `prepare` is npm's own. */
const NAMES = Object.keys(packageJson.scripts).filter((name) => name !== "prepare");
/** The commands that Bun runs. */
const FILES = [
  ...[...new Glob("scripts/**/*.ts").scanSync(root)].filter(isCommand).sort(),
  "contracts/test/vectors/generate.ts",
];
/** The commands without an npm script. */
const WITHOUT_NPM = FILES.filter(
  (file) => !NAMES.some((name) => (COMMANDS as Record<string, string>)[name] === file),
);
const TIMEOUT_MS = 60_000;
const UNKNOWN_OPTION = "--colour";
const UNKNOWN_NAME = "nobody-knows-this";

const atOnce = pLimit(4);

let checkout: string;
let connections = 0;
const trap = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data() {},
    open(socket: Socket) {
      connections++;
      socket.end();
    },
  },
});
let supervisor: Subprocess;

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), "commands-"));
  const left = ["node_modules", "tools", ".git", ".data", "artifacts", "cache"];
  for (const name of readdirSync(root)) {
    if (!left.includes(name)) cpSync(join(root, name), join(checkout, name), { recursive: true });
  }
  for (const name of ["node_modules", "tools"]) symlinkSync(join(root, name), join(checkout, name));
  setUpGateway();
});

afterAll(() => {
  supervisor?.kill("SIGKILL");
  trap.stop(true);
  rmSync(checkout, { recursive: true });
});

/** Whether a file parses its arguments when it is loaded. */
function isCommand(file: string): boolean {
  return /^(const .+ = )?parseCommand\(/m.test(readFileSync(join(root, file), "utf8"));
}

/** Writes the files of a running gateway, with one of this test's processes as its supervisor. */
function setUpGateway(): void {
  supervisor = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  const address = `127.0.0.1:${trap.port}`;
  const gateway = {
    ...{ baseUrl: `http://${address}/api/v1`, rpcUrl: `http://${address}` },
    ...{ databaseUrl: `postgres://user:secret@${address}/gateway`, merchants: [{ apiKey: "sk_test_1" }] },
    environment: {},
  };
  const running = { supervisor: identify(supervisor.pid), launcher: null, stopping: false, processes: {} };
  mkdirSync(join(checkout, ".data"), { recursive: true });
  writeFileSync(join(checkout, ".data/local.json"), JSON.stringify(gateway));
  writeFileSync(join(checkout, ".data/processes.json"), JSON.stringify(running));
}

/** Lists each file of the checkout with its content. */
function listFiles(): string[] {
  const digest = (name: string) => Bun.hash(readFileSync(join(checkout, name)));
  const files = [...new Glob("**/*").scanSync({ cwd: checkout, dot: true, onlyFiles: true })];
  return files.sort().map((name) => `${name} ${digest(name)}`);
}

/** Runs a command of the checkout until it exits, without a terminal. */
const run = (...command: string[]) =>
  atOnce(async () => {
    const { DATABASE_URL: _, GATEWAY_LOCAL_FILE: __, ...env } = process.env;
    const child = Bun.spawn(command, {
      ...{ cwd: checkout, env, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: TIMEOUT_MS },
    });
    const [output, errors, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { output, errors, exitCode };
  });

type Result = Awaited<ReturnType<typeof run>>;

/** Runs all cases, and asserts that they changed nothing. */
async function runHarmlessly<Case>(
  cases: readonly Case[],
  start: (one: Case) => Promise<Result>,
  check: (result: Result, one: Case) => void,
): Promise<void> {
  const before = listFiles();
  const results = await Promise.all(cases.map(start));
  for (const [index, result] of results.entries()) check(result, cases[index] as Case);
  expect(listFiles()).to.deep.equal(before);
  expect(connections).to.equal(0);
  expect(supervisor.exitCode).to.equal(null);
}

const bun = (file: string, ...args: string[]) => run(process.execPath, file, ...args);

/** Asserts a rejection with a sentence that names the problem. */
function isRefused({ output, errors, exitCode }: Result, command: string, what: string): void {
  expect(exitCode, command).to.equal(2);
  expect(errors.split("\n")[0], command).to.include(what).and.to.match(/\.$/);
  expect(errors, command).not.to.match(/^\s+at /m);
  expect(output, command).to.equal("");
}

/** Answers the prompt of a command that runs in a terminal. @returns its output and exit code */
async function runAtTerminal(answer: string, ...command: string[]): Promise<[string, number]> {
  let shown = "";
  const child = Bun.spawn(command, {
    cwd: checkout,
    timeout: TIMEOUT_MS,
    terminal: {
      data(terminal, data) {
        const asked = shown.includes("?");
        shown += data.toString();
        if (!asked && shown.includes("?")) terminal.write(`${answer}\n`);
      },
    },
  });
  const exitCode = await child.exited;
  return [shown, exitCode];
}

describe("every command", () => {
  it("prints its usage and does nothing else", () =>
    runHarmlessly(
      [...NAMES, ...WITHOUT_NPM],
      (name) =>
        WITHOUT_NPM.includes(name)
          ? bun(name, "--help")
          : run("node", "scripts/bootstrap.mjs", name, "--help"),
      ({ output, errors, exitCode }, name) => {
        expect(errors, name).to.equal("");
        expect(exitCode, name).to.equal(0);
        const usage = ["start", "test"].includes(name) ? `npm ${name}` : `(npm run |bun )${name}`;
        expect(output, name).to.match(new RegExp(`^  ${usage}( |$)`, "m"));
      },
    ));

  it("rejects an unknown option", () =>
    runHarmlessly(
      FILES,
      (file) => bun(file, UNKNOWN_OPTION),
      (result, file) => isRefused(result, file, UNKNOWN_OPTION),
    ));

  it("rejects an unknown name", () =>
    runHarmlessly(
      FILES,
      (file) => bun(file, UNKNOWN_NAME),
      (result, file) => isRefused(result, file, UNKNOWN_NAME),
    ));
});

describe("npm run reset", () => {
  const reset = ["node", "scripts/bootstrap.mjs", "reset"];

  it("refuses to remove anything without a terminal", () =>
    runHarmlessly(
      [[], ["--yes", UNKNOWN_NAME]],
      (args) => run(...reset, ...args),
      (result, args) => isRefused(result, "reset", args.at(-1) ?? "--yes"),
    ));

  it("prompts in a terminal, and removes nothing unless the answer is yes", async () => {
    const before = listFiles();
    for (const answer of ["", "no", "y"])
      expect((await runAtTerminal(answer, ...reset))[1], answer).to.equal(1);
    expect(listFiles()).to.deep.equal(before);
    expect(supervisor.exitCode).to.equal(null);
  });

  it.each([
    ["in a terminal, if the answer is yes", () => runAtTerminal("yes", ...reset)],
    ["without a terminal, if --yes is given", () => run(...reset, "--yes")],
  ])("stops the gateway and removes everything %s", async (_, start) => {
    supervisor.kill("SIGKILL");
    setUpGateway();
    await start();
    expect(await supervisor.exited).not.to.equal(0);
    expect(readdirSync(join(checkout, ".data"))).to.deep.equal([]);
  });
});
