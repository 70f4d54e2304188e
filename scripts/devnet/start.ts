// `npm start`: runs the gateway with all its dependencies on this machine, until Ctrl-C.
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail, parseCommand } from "../shared/command-line.ts";
import { describe, UserError } from "../shared/errors.ts";
import { readJson, writeJson } from "../shared/json-file.ts";
import { createPrivateFolder, dataDir, paths } from "../shared/paths.ts";
import { END_WITH_PARENT, onParentGone } from "./end-with-parent.ts";
import { LocalGateway, type Ports, STOP_ORDER } from "./local-gateway.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { freePort, isFree, parsePort } from "./ports.ts";
import { stopAndDeletePostgres, stopPostgres } from "./postgres.ts";
import { identify } from "./process-identity.ts";
import { publicUrls } from "./roles.ts";
import {
  endOrphans,
  identifyThisProcess,
  isEnding,
  type RunningRecord,
  readRecord,
  writeRecord,
} from "./running.ts";
import { notice, printLine, readyScreen } from "./screen.ts";
import { loadSecrets } from "./secrets.ts";
import { Supervisor } from "./supervisor.ts";

const HELP = `Starts the gateway on this machine: Postgres, a chain, contracts, indexer, API and settlement. Runs until Ctrl-C.

  npm start

PORT sets the API's port (default 3000). Addresses, keys and the database URL are in .data/local.json, logs in .data/logs.`;

const DEFAULT_PORT = 3_000;
const USUAL_PORTS = { rpc: 8_545, postgres: 54_329, indexer: 42_069, settlement: 42_070, webhooks: 42_080 };
/** How long to wait for an earlier gateway that is shutting down. */
const PREDECESSOR_MS = 45_000;
/** Maximum time until a gateway notices that its npm process was killed. */
const DOUBT_MS = 1_500;
/**
 * One Ctrl-C arrives more than once (from the terminal and from npm). Only a later signal counts as a second Ctrl-C.
 */
const SAME_SIGNAL_MS = 700;

async function main(): Promise<void> {
  const began = performance.now();
  const port = parsePort(process.env.PORT, DEFAULT_PORT);
  createPrivateFolder(dataDir);
  const lock = await takeOver();
  await clearAway();
  await requireFree(port);
  keepOldLogs();

  const record: RunningRecord = {
    supervisor: identifyThisProcess(),
    launcher: identify(Number(process.env[END_WITH_PARENT])),
    baseUrl: publicUrls(port).baseUrl,
    stopping: false,
    processes: {},
  };
  writeRecord(record);
  const supervisor = new Supervisor({
    notice,
    changed(processes) {
      record.processes = processes;
      writeRecord(record);
    },
  });
  const stop = stopper(supervisor, record, lock);
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  onParentGone(stop);

  const remembered = readJson<Partial<Ports>>(paths.ports);
  const ports: Ports = {
    api: port,
    rpc: await freePort(remembered?.rpc, USUAL_PORTS.rpc),
    postgres: await freePort(remembered?.postgres, USUAL_PORTS.postgres),
    indexer: await freePort(remembered?.indexer, USUAL_PORTS.indexer),
    settlement: await freePort(remembered?.settlement, USUAL_PORTS.settlement),
    webhooks: await freePort(remembered?.webhooks, USUAL_PORTS.webhooks),
  };
  writeJson(paths.ports, ports);
  const gateway = new LocalGateway(supervisor, loadSecrets(paths.secrets), ports);
  try {
    const local = await gateway.start((changed) => writeJson(paths.local, changed));
    printLine(readyScreen(local, publicUrls(port).docsUrl, performance.now() - began));
  } catch (error) {
    // The gateway was stopped while it was starting, which caused the failure.
    if (record.stopping) return;
    console.error(`\n${describe(error)}\n\nThe gateway could not be started. All logs are in .data/logs.`);
    await stopAll(supervisor, record, lock);
    process.exit(1);
  }
}

/** Acquires this folder's lock. Waits for a gateway that is shutting down. @throws UserError if a gateway is running */
async function takeOver(): Promise<Lock> {
  const until = Date.now() + DOUBT_MS;
  for (;;) {
    const lock = acquireLock(paths.lock);
    if (lock) return lock;
    const other = readRecord();
    if (other && isEnding(other)) {
      printLine(`  An earlier gateway (pid ${other.supervisor.pid}) is still stopping; waiting for it.`);
      const freed = acquireLock(paths.lock, PREDECESSOR_MS);
      if (freed) return freed;
    }
    if (Date.now() > until) {
      throw new UserError(
        `The gateway of this folder is already running${other ? ` at ${other.baseUrl} (pid ${other.supervisor.pid})` : ""}.\n` +
          "Use it (its keys are in .data/local.json), or stop it with Ctrl-C in its terminal or with: npm run stop",
      );
    }
    await Bun.sleep(100);
  }
}

/** Cleans up after a killed run, and removes a database whose keys are gone. */
async function clearAway(): Promise<void> {
  const left = readRecord();
  const ended = left ? await endOrphans(left) : [];
  if (ended.length > 0) printLine(`  Stopped leftovers of an earlier run: ${ended.join(", ")}.`);
  if (await stopPostgres(paths.postgres)) printLine("  Stopped the Postgres of an earlier run.");
  if (existsSync(paths.secrets)) return;
  if (await stopAndDeletePostgres(paths.postgres)) {
    printLine("  The keys in .data are missing, so the old database is unusable: starting with a new one.");
  }
}

async function requireFree(port: number): Promise<void> {
  if (await isFree(port)) return;
  const other = await freePort(port + 1);
  throw new UserError(
    `Port ${port} is in use by another program. Choose a different port: PORT=${other} npm start`,
  );
}

/** Starts with empty logs, and keeps the logs of the previous run under another name. */
function keepOldLogs(): void {
  createPrivateFolder(paths.logs);
  for (const name of [...STOP_ORDER, "compiler"]) {
    const log = join(paths.logs, `${name}.log`);
    if (existsSync(log)) renameSync(log, join(paths.logs, `${name}.previous.log`));
  }
}

/** Returns the signal handler. The first signal stops all services in order; a second one kills them immediately. */
function stopper(supervisor: Supervisor, record: RunningRecord, lock: Lock): () => void {
  let first: number | undefined;
  return () => {
    if (first === undefined) {
      first = Date.now();
      printLine("\n  Stopping (press Ctrl-C again to stop immediately) …");
      stopAll(supervisor, record, lock).then(() => {
        printLine("  Stopped.");
        process.exit(0);
      }, fail);
    } else if (Date.now() - first > SAME_SIGNAL_MS) supervisor.force();
  };
}

async function stopAll(supervisor: Supervisor, record: RunningRecord, lock: Lock): Promise<void> {
  record.stopping = true;
  writeRecord(record);
  rmSync(paths.local, { force: true });
  await supervisor.stopAll(STOP_ORDER);
  lock.release();
}

parseCommand(HELP, {});
main().catch(fail);
