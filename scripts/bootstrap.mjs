// Runs any of the project's commands on a machine that has only Node.js and npm: installs what is missing, then hands
// over to Bun. Plain JavaScript without dependencies, because none are installed when it starts.
// Usage: node scripts/bootstrap.mjs <command> [arguments]
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tools = join(root, "tools");
const windows = process.platform === "win32";

/** The file that Bun runs for each command. */
const COMMANDS = JSON.parse(readFileSync(join(root, "scripts/commands.json"), "utf8"));

const MIN_NODE = 20;
const INSTALL_LOCK = join(root, ".data", "install.lock");
/** Longer than any install takes: an older lock is stale. */
const STALE_LOCK_MS = 15 * 60_000;
const PARENT_POLL_MS = 500;

class SetupError extends Error {}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  const known = Object.keys(COMMANDS).join(", ");
  if (command === "--help" || command === "-h") {
    console.log(
      `node scripts/bootstrap.mjs COMMAND [ARGUMENTS]\n\nCommands: ${known}. Run a command with --help for its usage.`,
    );
    return;
  }
  if (!Object.hasOwn(COMMANDS, command)) {
    console.error(
      `${command === undefined ? "No command given" : `Unknown command '${command}'`}. Commands: ${known}.`,
    );
    process.exit(2);
  }
  if (Number(process.versions.node.split(".")[0]) < MIN_NODE) {
    throw new SetupError(
      `Node.js ${MIN_NODE} or newer is required; this is ${process.versions.node}. See https://nodejs.org`,
    );
  }
  const bun = await setUp();
  process.exit(await runCommand(bun, [COMMANDS[command], ...args]));
}

/** Ensures that Bun and node_modules match the two lockfiles. @returns Bun's path */
async function setUp() {
  const toolsStamp = createStamp(join(tools, "node_modules"), [join(tools, "package-lock.json")]);
  const modulesStamp = createStamp(join(root, "node_modules"), [
    join(root, "bun.lock"),
    join(root, "package.json"),
    ...readdirSync(join(root, "patches")).map((patch) => join(root, "patches", patch)),
  ]);
  if (toolsStamp.fresh() && modulesStamp.fresh()) return findBun();

  await withInstallLock(async () => {
    if (!toolsStamp.fresh()) {
      await step("Installing Bun (npm ci --prefix tools)", installBun);
      toolsStamp.set();
    }
    if (!modulesStamp.fresh()) {
      await step("Installing the packages (bun install)", () =>
        run(findBun(), ["install", "--frozen-lockfile"]),
      );
      modulesStamp.set();
    }
  });
  return findBun();
}

async function installBun() {
  // npm's own script if npm started this process, otherwise a bare "npm".
  const script = process.env.npm_execpath;
  const [npm, ...first] = script?.endsWith("npm-cli.js")
    ? [process.execPath, script]
    : [windows ? "npm.cmd" : "npm"];
  // No install scripts: npm may block them, and Bun's only moves the binary, which findBun finds anyway.
  await run(npm, [
    ...first,
    "ci",
    "--prefix",
    tools,
    "--include=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ]);
  linkBun(findBun());
}

/** Finds this machine's binary. npm may have installed several (for another libc); the one that runs is the right one. */
function findBun() {
  const modules = join(tools, "node_modules");
  const name = windows ? "bun.exe" : "bun";
  const scope = join(modules, "@oven");
  const packages = existsSync(scope) ? readdirSync(scope) : [];
  const candidates = [
    ...packages.map((folder) => join(scope, folder, "bin", name)),
    join(modules, "bun", "bin", "bun.exe"),
  ].filter(existsSync);
  for (const candidate of candidates) {
    if (spawnSync(candidate, ["--version"], { stdio: "ignore" }).status === 0) return candidate;
  }
  throw new SetupError(
    `No installed Bun runs on this machine (${process.platform} on ${process.arch}); ` +
      `tried: ${candidates.join(", ") || "none installed"}.\nRemove tools/node_modules and try again.`,
  );
}

/** Makes tools/node_modules/.bin/bun work, because only the skipped install script would have created its target. */
function linkBun(bun) {
  if (windows) return;
  const bin = join(tools, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  for (const name of ["bun", "bunx"]) {
    rmSync(join(bin, name), { force: true });
    symlinkSync(bun, join(bin, name));
  }
}

/** Records in node_modules which lockfile it was installed from, and for which platform. */
function createStamp(folder, files) {
  const file = join(folder, ".installed");
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const one of files) hash.update("\0").update(readFileSync(one));
  const stamp = hash.digest("hex");
  return {
    fresh: () => existsSync(file) && readFileSync(file, "utf8") === stamp,
    set: () => writeFileSync(file, stamp),
  };
}

/** One install at a time: two commands may start simultaneously in a fresh clone. */
async function withInstallLock(work) {
  mkdirSync(join(root, ".data"), { recursive: true, mode: 0o700 });
  for (let reported = false; !takeInstallLock(); reported = true) {
    if (!reported) console.log("  Another command is installing; waiting for it.");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    await work();
  } finally {
    rmSync(INSTALL_LOCK, { force: true });
  }
}

function takeInstallLock() {
  try {
    writeFileSync(INSTALL_LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (!isHeld()) rmSync(INSTALL_LOCK, { force: true });
  return false;
}

function isHeld() {
  try {
    if (Date.now() - statSync(INSTALL_LOCK).mtimeMs > STALE_LOCK_MS) return false;
    const pid = Number(readFileSync(INSTALL_LOCK, "utf8"));
    // Empty while its holder is writing it.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error.code === "EPERM") return true;
    if (error.code === "ESRCH" || error.code === "ENOENT") return false;
    throw error;
  }
}

async function step(name, work) {
  const start = Date.now();
  console.log(`  … ${name}`);
  await work();
  console.log(`  ✓ ${name.padEnd(44)}${`${((Date.now() - start) / 1000).toFixed(1)} s`.padStart(8)}`);
}

/** Runs one set-up step and shows its output if it fails. */
async function run(program, args) {
  const child = spawn(program, args, { cwd: root, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  const interrupt = (signal) => {
    child.kill(signal);
    // The next command will retry it.
    process.exit(130);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const output = [];
  child.stdout.on("data", (data) => output.push(data));
  child.stderr.on("data", (data) => output.push(data));
  const status = await ended(child, program);
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  if (status === 0) return;
  throw new SetupError(
    `${Buffer.concat(output).toString().trim()}\n\n${[program, ...args].join(" ")} failed (${status}).\n` +
      "Packages are downloaded from the npm registry. Check that it is reachable (network, proxy, npm config get registry).\n" +
      "Then run the same command again; it resumes where it stopped.",
  );
}

/** Runs the command itself, forwards signals, and returns its exit code. */
async function runCommand(bun, args) {
  const child = spawn(bun, args, {
    cwd: root,
    env: environment(),
    stdio: "inherit",
  });
  // In a terminal, Ctrl-C already reached the child, which treats signals that arrive shortly after each other as one.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) whenOrphaned(() => child.kill("SIGTERM"));
  return ended(child, bun);
}

/**
 * Calls back when npm was killed: then no process waits for this one, and Ctrl-C does not reach it. The start script
 * begins with exec so that npm is the parent. A shell in between would hide npm's death, and would turn a clean exit
 * after Ctrl-C into an exit by signal.
 */
function whenOrphaned(callback) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, PARENT_POLL_MS);
  timer.unref();
}

function ended(child, program) {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new SetupError(`Could not start ${program}: ${error.message}`)));
    child.once("close", (code, signal) => resolve(code ?? signal));
  }).then((status) => (typeof status === "number" ? status : 1));
}

/** Puts Bun and the packages' commands first in PATH. Our scripts end with this process. */
function environment() {
  const path = [
    join(tools, "node_modules", ".bin"),
    join(root, "node_modules", ".bin"),
    process.env.PATH ?? "",
  ];
  return { ...process.env, PATH: path.join(delimiter), END_WITH_PARENT: String(process.pid) };
}

main().catch((error) => {
  console.error(error instanceof SetupError ? `\n${error.message}` : error);
  process.exit(1);
});
