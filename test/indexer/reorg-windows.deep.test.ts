// What a reader sees while the real indexer follows a reorg or restarts: never a payment that is less confirmed than the
// chain shows it. Ponder removes rows in other transactions than those that write its checkpoint.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { encodeFunctionData, type Hex, type TransactionSerialized } from "viem";
import { toServiceError } from "#api/http/errors.ts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { connectChain } from "#core/chain/client.ts";
import { type Config, readConfig } from "#core/config/config.ts";
import { connect, type Database } from "#core/db/client.ts";
import { currentDeployment, type Deployment } from "#core/deployment/deployment.ts";
import { openIndexerGuard } from "#core/indexer-state/guard.ts";
import { createIntentReader, type IntentReader } from "#core/intent/read-intent.ts";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { until } from "#scripts/shared/wait.ts";
import { createChainClient, type LocalChain, newPayer } from "#test/api/support/payments.ts";
import { insertIntent, type TestIntent } from "#test/settlement/support/intents.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

/** Forwards to the node, unless it is closed: then requests wait. Pushes heads by WebSocket when a test says so. */
function createProxy() {
  let target = "";
  let open = Promise.withResolvers<void>();
  open.resolve();
  const sockets = new Set<{ send(text: string): unknown }>();
  const server = Bun.serve({
    port: 0,
    idleTimeout: 60,
    async fetch(request, bun) {
      if (bun.upgrade(request, { data: undefined })) return undefined as never;
      const body = await request.text();
      await open.promise;
      const answer = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      return new Response(await answer.text(), { headers: { "content-type": "application/json" } });
    },
    websocket: {
      message(socket, text) {
        const { id } = JSON.parse(String(text));
        sockets.add(socket);
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
      },
      close(socket) {
        sockets.delete(socket);
      },
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    ws: `ws://127.0.0.1:${server.port}`,
    to(url: string) {
      target = url;
    },
    close() {
      open = Promise.withResolvers<void>();
    },
    open: () => open.resolve(),
    subscribers: () => sockets.size,
    /** Announces the node's latest block to its subscribers. */
    async announce() {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getBlockByNumber",
        params: ["latest", false],
      });
      const answer = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      const { result } = (await answer.json()) as { result: unknown };
      const push = { jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x1", result } };
      for (const socket of sockets) socket.send(JSON.stringify(push));
    },
    stop: () => server.stop(true),
  };
}

type Gateway = {
  stack: Stack;
  proxy: ReturnType<typeof createProxy>;
  database: Database;
  deployment: Deployment;
  config: Config;
  chain: LocalChain;
  reader: IntentReader;
};

/** @param young whether the contract is younger than the indexer's finality (30 blocks; 65 on Ethereum) */
async function startGateway(pushed: boolean, young: boolean): Promise<Gateway> {
  const proxy = createProxy();
  const env: Record<string, string> = {
    RPC_URL: proxy.url,
    // As in production, the contract's block. The chain has fewer than 30 blocks, so its finalized block is block 0.
    START_BLOCK: young ? "1" : "0",
    ...(pushed ? { RPC_WS_URL: proxy.ws } : {}),
  };
  const stack = await startStack({ roles: [], blockIntervalMs: 86_400_000, env });
  proxy.to(stack.rpcUrl);
  const config = readConfig(stack.environment);
  const database = connect(config.databaseUrl, { application: "reorg-windows", max: 5 });
  await stack.restart("indexer");
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const guard = openIndexerGuard(config, { database, client, deployment });
  const reader = createIntentReader({ reads: database, config, guard });
  return { stack, proxy, database, deployment, config, chain: createChainClient(stack.rpcUrl), reader };
}

async function stopGateway({ stack, proxy, database }: Gateway): Promise<void> {
  await database.$client.end();
  await stack.stop();
  await proxy.stop();
}

const payer = newPayer();

/** Adds an intent and funds it in one block. @returns it with the raw transaction */
async function fund({ stack, database, deployment, chain }: Gateway): Promise<TestIntent & { raw: Hex }> {
  await setGasBalances(stack.rpcUrl, [payer.address]);
  const [merchant] = stack.merchants;
  if (!merchant) throw new Error("No merchant.");
  const parties = {
    merchantId: merchant.merchantId,
    payee: newPayer().address,
    operator: newPayer().address,
    offRamp: newPayer().address,
  };
  const { timestamp } = await chain.getBlock();
  const made = await insertIntent(
    database,
    deployment,
    parties,
    {},
    { fundingDeadline: Number(timestamp) + 86_400 },
  );
  const data = encodeFunctionData({
    abi: deliveryVsPaymentAbi,
    functionName: "createOrder",
    args: [made.terms],
  });
  const prepared = await chain.prepareTransactionRequest({ account: payer, to: deployment.contract, data });
  const raw = await payer.signTransaction(prepared as never);
  await chain.sendRawTransaction({ serializedTransaction: raw as TransactionSerialized });
  return { ...made, raw };
}

const statusOf = ({ reader }: Gateway, { id }: TestIntent): Promise<string> =>
  reader.find(id).then(
    (view) => `${view?.status} ${view?.order ? view.head.block - view.order.createdBlock + 1 : 0}`,
    // As the API shows it.
    (error: Error) => {
      const { status } = toServiceError(error);
      return status === 503 ? "503" : `${status} ${String(error.cause ?? error.message)}`;
    },
  );

/** Records each distinct answer in its order, with the time for which it was given. */
function watch(gateway: Gateway, made: TestIntent) {
  const seen: { status: string; from: number; to: number }[] = [];
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const status = await statusOf(gateway, made);
      const last = seen.at(-1);
      if (last?.status === status) last.to = Date.now();
      else seen.push({ status, from: Date.now(), to: Date.now() });
      await delay(2);
    }
  })();
  return async () => {
    stopped = true;
    await watching;
    return seen.map(({ status, from, to }) => `${status} (${to - from} ms)`);
  };
}

const untilStatus = (gateway: Gateway, made: TestIntent, status: string) =>
  until(async () => ((await statusOf(gateway, made)) === status ? true : null), {
    what: status,
    timeoutMs: 60_000,
  });

const mine = ({ chain }: Gateway, blocks: number) => chain.mine({ blocks });

/** Replaces all blocks since the snapshot by a branch of the same length, whose first block has the transaction too. */
async function reorg(gateway: Gateway, snapshot: Hex, raw: Hex, height: bigint): Promise<void> {
  const { chain, proxy, stack } = gateway;
  proxy.close();
  await delay(300);
  await chain.revert({ id: snapshot });
  await setGasBalances(stack.rpcUrl, [payer.address]);
  // Blocks of another second differ.
  await delay(2_100);
  await chain.sendRawTransaction({ serializedTransaction: raw as TransactionSerialized });
  const now = await chain.getBlockNumber({ cacheTime: 0 });
  if (height > now) await mine(gateway, Number(height - now));
  proxy.open();
}

const start = (pushed: boolean, young: boolean) => {
  const started = {} as Gateway;
  beforeAll(async () => {
    Object.assign(started, await startGateway(pushed, young));
    if (!pushed) return;
    const { proxy } = started;
    await until(async () => proxy.subscribers() > 0, { what: "subscription", timeoutMs: 30_000 });
  });
  afterAll(() => stopGateway(started));
  return started;
};

/** Funds a payment, shows it with six confirmations, and restarts the indexer. @returns what a reader sees */
async function restarting(gateway: Gateway, ms: number): Promise<string[]> {
  const { chain, proxy, stack } = gateway;
  const made = await fund(gateway);
  await mine(gateway, 5);
  await proxy.announce();
  await untilStatus(gateway, made, "SUCCEEDED 6");
  expect(Number(await chain.getBlockNumber({ cacheTime: 0 })), "within the finality").to.be.lessThan(30);
  await stack.kill("indexer");
  const stop = watch(gateway, made);
  await stack.restart("indexer");
  await delay(ms);
  const seen = await stop();
  await mine(gateway, 1);
  await proxy.announce();
  await untilStatus(gateway, made, "SUCCEEDED 7");
  return seen;
}

const other = (seen: string[], status: string) =>
  seen.filter((one) => !one.startsWith("503") && !one.startsWith(status));

describe("the polling indexer of a young contract", () => {
  const gateway = start(false, true);

  it("is not trusted between the removal of a branch and the first block of the next one", async () => {
    const { chain } = gateway;
    const snapshot = await chain.snapshot();
    const made = await fund(gateway);
    await mine(gateway, 5);
    await untilStatus(gateway, made, "SUCCEEDED 6");
    const height = await chain.getBlockNumber({ cacheTime: 0 });
    const stop = watch(gateway, made);
    await reorg(gateway, snapshot, made.raw, height);
    await delay(4_000);
    const seen = await stop();
    // Both branches have the payment with six confirmations.
    expect(other(seen, "SUCCEEDED 6")).to.deep.equal([]);
  });

  it("is not trusted when it restarts, before it has read its first block", async () => {
    const seen = await restarting(gateway, 4_000);
    expect(other(seen, "SUCCEEDED 6")).to.deep.equal([]);
  });
});

describe("the polling indexer of an older contract", () => {
  const gateway = start(false, false);

  it("is not trusted when it restarts, before it has reached the mark", async () => {
    const seen = await restarting(gateway, 4_000);
    expect(other(seen, "SUCCEEDED 6")).to.deep.equal([]);
    expect(seen.at(-1)?.startsWith("SUCCEEDED 6")).to.equal(true);
  });
});

describe("the indexer that subscribes to heads", () => {
  const gateway = start(true, false);

  it("does not miss a block that replaced the latest one until the chain's next block", async () => {
    const { chain, proxy } = gateway;
    await mine(gateway, 1);
    await proxy.announce();
    const snapshot = await chain.snapshot();
    const made = await fund(gateway);
    await proxy.announce();
    await untilStatus(gateway, made, "PROCESSING 1");
    const height = await chain.getBlockNumber({ cacheTime: 0 });
    await reorg(gateway, snapshot, made.raw, height);
    const stop = watch(gateway, made);
    await proxy.announce();
    // A block time of Ethereum.
    await delay(12_000);
    const seen = await stop();
    await mine(gateway, 1);
    await proxy.announce();
    await untilStatus(gateway, made, "PROCESSING 2");
    expect(other(seen, "PROCESSING 1")).to.deep.equal([]);
  });
});

describe("the indexer of a young contract that subscribes to heads", () => {
  const gateway = start(true, true);

  it("is not trusted when it restarts, before it has read its first block", async () => {
    const seen = await restarting(gateway, 15_000);
    expect(other(seen, "SUCCEEDED 6")).to.deep.equal([]);
  });
});
