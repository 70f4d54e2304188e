// Runs anvil as a test's chain that mines like Hardhat's node: a transaction is mined before its sender gets a
// response, and further blocks are mined at an interval in milliseconds. anvil itself supports only one of the two,
// with intervals in seconds.
// Usage: bun anvil-node.ts PORT ANVIL_PORT CHAIN_ID
import { spawn } from "node:child_process";
import { until } from "../shared/wait.ts";
import { program } from "./anvil.ts";
import { createPace } from "./pace.ts";

interface Request {
  id: unknown;
  method: string;
  params?: unknown[];
}

const READY_MS = 60_000;
const JSON_TYPE = { "content-type": "application/json" };
/** Wallets in web pages also send requests to the node. */
const ANY_ORIGIN = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

const [port = "", anvilPort = "", chainId = ""] = process.argv.slice(2);
const busyMs = Number(process.env.BLOCK_INTERVAL_MS);
const idleMs = Number(process.env.IDLE_BLOCK_INTERVAL_MS);

const node = spawn(
  program,
  [
    ...["--host", "127.0.0.1", "--port", anvilPort, "--chain-id", chainId],
    // Same as Hardhat: accounts, block size, hard fork, and blocks that are final as soon as they are mined.
    ...["--accounts", "20", "--gas-limit", "60000000", "--hardfork", "osaka", "--slots-in-an-epoch", "0"],
    ...["--no-mining", "--order", "fifo", "--quiet"],
  ],
  { stdio: "inherit" },
);
process.once("exit", () => node.kill("SIGKILL"));
process.once("SIGTERM", () => process.exit(0));
node.once("error", end);
node.once("exit", (code, signal) => end(`anvil exited (${signal ?? `exit code ${code}`})`));

function end(problem: unknown): never {
  console.error(String(problem));
  process.exit(1);
}

async function forward(request: object): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${anvilPort}`, {
    ...{ method: "POST", headers: JSON_TYPE, body: JSON.stringify(request) },
  });
  return response.text();
}

async function ask<T>(method: string): Promise<T> {
  const { result, error } = JSON.parse(await forward({ jsonrpc: "2.0", id: 0, method, params: [] }));
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

let last: Promise<unknown> = Promise.resolve();

/** Serializes requests that change the chain. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

let nextBlock: ReturnType<typeof setTimeout> | undefined;

/** Sets the interval at which blocks are mined; 0 disables interval mining. */
function mineEvery(intervalMs: number): void {
  clearTimeout(nextBlock);
  // A block that is being mined must not be followed by another one.
  nextBlock = undefined;
  if (intervalMs === 0) return;
  const timer = setTimeout(async () => {
    await inTurn(() => ask("evm_mine")).catch(end);
    // The interval may have changed in the meantime.
    if (nextBlock === timer) mineEvery(intervalMs);
  }, intervalMs);
  nextBlock = timer;
}

let automine = true;

async function send(transaction: Request): Promise<string> {
  const answer = await forward(transaction);
  if (!automine || JSON.parse(answer).error) return answer;
  // A transaction that waits for an earlier nonce is not mined.
  const { pending } = await ask<{ pending: string }>("txpool_status");
  if (Number(pending) > 0) await ask("evm_mine");
  return answer;
}

const accept = ({ id }: Request): string => JSON.stringify({ jsonrpc: "2.0", id, result: true });

async function respond(request: Request): Promise<string> {
  const { method, params } = request;
  switch (method) {
    case "eth_sendRawTransaction":
    case "eth_sendTransaction":
      return inTurn(() => send(request));
    case "evm_setAutomine":
      automine = params?.[0] === true;
      return accept(request);
    case "evm_setIntervalMining":
      mineEvery(Number(params?.[0]));
      return accept(request);
    default:
      return /^(evm|hardhat)_/.test(method) ? inTurn(() => forward(request)) : forward(request);
  }
}

await until(() => ask("eth_chainId").catch(() => false), { what: "Readiness of anvil", timeoutMs: READY_MS });
const keepPace = createPace({ busyMs, idleMs, every: mineEvery });
mineEvery(idleMs);

async function handle(request: Request): Promise<string> {
  const answer = await respond(request);
  await keepPace(request.method);
  return answer;
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  reusePort: false,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: ANY_ORIGIN });
    const body: Request | Request[] = await request.json();
    const answer = Array.isArray(body)
      ? `[${(await Promise.all(body.map(handle))).join(",")}]`
      : await handle(body);
    return new Response(answer, { headers: { ...JSON_TYPE, ...ANY_ORIGIN } });
  },
});
