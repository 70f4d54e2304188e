// Tests the transport, and the changes of patches/ponder@… to sync-realtime, with Ponder's own RPC client and sync,
// against a fake node over HTTP.
import { afterAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { type Hex, keccak256, numberToHex, toHex, zeroHash } from "viem";
import { hardhat } from "viem/chains";
import { createRpcTransport } from "./rpc-transport.ts";

type Block = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex; logsBloom: Hex; transactions: [] };
type Request = { id: number; method: string; params: [unknown] };
type Change = { type: "block" | "reorg" | "finalize"; block: Block };
type Sync = { sync(block: Block): AsyncGenerator<Change> };

const PONDER = "../node_modules/ponder/dist/esm";
const { createRpc } = await import(`${PONDER}/rpc/index.js`);
const { createRealtimeSync } = await import(`${PONDER}/sync-realtime/index.js`);
const { createHistoricalSync } = await import(`${PONDER}/sync-historical/index.js`);

/** Creates the blocks 0 to `height` of a branch. The first `shared` blocks are the same for every name. */
function branch(name: string, height: number, shared = 0): Block[] {
  const blocks: Block[] = [];
  for (let number = 0; number <= height; number++) {
    const fork = number < shared ? "shared" : name;
    blocks.push({
      number: numberToHex(number),
      hash: keccak256(toHex(`${fork} ${number}`)),
      parentHash: blocks.at(-1)?.hash ?? zeroHash,
      timestamp: numberToHex(number),
      // An empty bloom makes Ponder request the logs and accept that there are none.
      logsBloom: `0x${"0".repeat(512)}`,
      transactions: [],
    });
  }
  return blocks;
}

let canonical: Block[];
/** A branch that the node no longer follows, but whose blocks it still returns by hash. */
let abandoned: Block[];
let rejects: (request: Request) => boolean;
let logs: Map<Hex, object[]>;
let methods: string[];

const node = Bun.serve({
  port: 0,
  fetch: async (http) => {
    const request = (await http.json()) as Request;
    methods.push(request.method);
    const answer = (body: object) => Response.json({ jsonrpc: "2.0", id: request.id, ...body });
    if (rejects(request)) return answer({ error: { code: -32_000, message: "unknown block" } });
    const [what] = request.params;
    if (request.method === "eth_getLogs") {
      return answer({ result: logs.get((what as { blockHash: Hex }).blockHash) ?? [] });
    }
    if (request.method === "eth_getBlockByHash") {
      return answer({ result: [...canonical, ...abandoned].find(({ hash }) => hash === what) ?? null });
    }
    return answer({ result: what === "latest" ? canonical.at(-1) : (canonical[Number(what)] ?? null) });
  },
});
afterAll(() => node.stop(true));

const logger: Record<string, unknown> = {};
for (const level of ["trace", "debug", "info", "warn", "error"]) logger[level] = () => undefined;
logger.child = () => logger;
const metric = { inc: () => undefined, observe: () => undefined };
const ended: (() => void)[] = [];
afterAll(() => {
  for (const end of ended) end();
});
const common = {
  logger,
  metrics: { ponder_rpc_request_duration: metric, ponder_rpc_request_error_total: metric },
  shutdown: { isKilled: false, add: (end: () => void) => ended.push(end) },
};
const chain = {
  id: hardhat.id,
  name: "chain",
  viemChain: hardhat,
  rpc: createRpcTransport(node.url.href),
  pollingInterval: 20,
  finalityBlockCount: 30,
};

const filter = {
  type: "log",
  fromBlock: undefined,
  toBlock: undefined,
  address: "0x0000000000000000000000000000000000000001",
  topic0: null,
  topic1: null,
  topic2: null,
  topic3: null,
};

function createSync(): Sync {
  return createRealtimeSync({
    common,
    chain,
    rpc: createRpc({ common, chain }),
    eventCallbacks: [{ filter }],
    syncProgress: { finalized: branch("first", 0, 1)[0] },
    childAddresses: new Map(),
  });
}

/** Syncs to a head, and returns the changes: `+7` adds block 7, `-4` rolls back to block 4. */
async function syncTo(sync: Sync, head: Block | undefined): Promise<string> {
  if (head === undefined) throw new Error("No head.");
  const changes: string[] = [];
  for await (const { type, block } of sync.sync(head)) {
    changes.push(`${type === "reorg" ? "-" : "+"}${Number(block.number)}`);
  }
  return changes.join(" ");
}

beforeEach(() => {
  abandoned = [];
  canonical = branch("first", 5, 3);
  rejects = () => false;
  logs = new Map();
  methods = [];
});

describe("a head whose logs are unavailable", () => {
  it("is retried while it is still the head", async () => {
    const sync = createSync();
    rejects = ({ method }) => method === "eth_getLogs";
    expect(await syncTo(sync, canonical.at(-1))).to.equal("");
    rejects = () => false;
    expect(await syncTo(sync, canonical.at(-1))).to.equal("+1 +2 +3 +4 +5");
  });

  it("is abandoned after four attempts, because it may have been dropped", async () => {
    rejects = ({ method }) => method === "eth_getLogs";
    expect(await syncTo(createSync(), canonical.at(-1))).to.equal("");
    expect(methods).to.deep.equal(Array(4).fill("eth_getLogs"));
  });
});

describe("a reorg", () => {
  it("that cannot be traced to its common ancestor is retried, and no dropped block is kept", async () => {
    const sync = createSync();
    await syncTo(sync, canonical.at(-1));
    canonical = branch("second", 6, 3);
    let requests = 0;
    rejects = ({ method }) => method === "eth_getBlockByHash" && ++requests > 1;
    expect(await syncTo(sync, canonical.at(-1))).to.equal("");
    rejects = () => false;
    expect(await syncTo(sync, canonical.at(-1))).to.equal("-2 +3 +4 +5 +6");
  });

  it("to a branch that the node has abandoned again ends, and the next head leads to the current branch", async () => {
    const sync = createSync();
    await syncTo(sync, canonical.at(-1));
    abandoned = branch("second", 6, 3);
    expect(await syncTo(sync, abandoned.at(-1))).to.equal("-2 +3 +4 +5");
    canonical = [...canonical, ...branch("first", 8).slice(6)];
    expect(await syncTo(sync, canonical.at(-1))).to.equal("+6 +7 +8");
  });

  it("is not inferred from a lagging node", async () => {
    const sync = createSync();
    await syncTo(sync, canonical.at(-1));
    expect(await syncTo(sync, canonical.at(-3))).to.equal("");
    canonical = branch("first", 6, 3);
    expect(await syncTo(sync, canonical.at(-1))).to.equal("+6");
  });
});

describe("polling", () => {
  it("does not pile up while the node does not respond, reports a failed poll, and polls again", async () => {
    const waiting = Promise.withResolvers<void>();
    const four = Promise.withResolvers<void>();
    const again = Promise.withResolvers<void>();
    let open = 0;
    const silent = Bun.serve({
      port: 0,
      fetch: async () => {
        if (++open === 4) four.resolve();
        if (open === 5) again.resolve();
        await waiting.promise;
        return Response.json({ error: "away" }, { status: 500 });
      },
    });
    const rpc = createRpc({ common, chain: { ...chain, rpc: createRpcTransport(silent.url.href, 500) } });
    const failed = Promise.withResolvers<void>();
    let failures = 0;
    rpc.subscribe({
      onBlock: () => undefined,
      onError: () => {
        if (++failures === 5) failed.resolve();
      },
    });
    await four.promise;
    await Bun.sleep(12 * chain.pollingInterval);
    expect(open, "after twelve more polling intervals").to.equal(4);
    waiting.resolve();
    await failed.promise;
    await again.promise;
    await rpc.unsubscribe();
    await silent.stop(true);
  }, 10_000);
});

describe("a backfill", () => {
  /** Runs a backfill in which the node returns no logs for the range. @returns the blocks whose logs are stored */
  async function backfill(): Promise<number[]> {
    const kept: { blockNumber: Hex }[] = [];
    const nothing = async () => undefined;
    const rpc = createRpc({ common, chain: { ...chain, rpc: createRpcTransport(node.url.href, 500) } });
    const finalized = canonical.at(-1);
    const sync = createHistoricalSync({
      ...{ common, chain, rpc, childAddresses: new Map(), syncProgress: { finalized } },
    });
    const interval = [1, Number(finalized?.number)];
    const requiredIntervals = [{ filter, interval }];
    const syncStore = {
      ...{ insertBlocks: nothing, insertTransactions: nothing, insertTraces: nothing },
      insertTransactionReceipts: nothing,
      insertLogs: async (some: { logs: { blockNumber: Hex }[] }) => kept.push(...some.logs),
    };
    // Ponder starts with this request, from which the transport learns the chain's height.
    await rpc.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
    const logs = await sync.syncBlockRangeData({
      ...{ interval, requiredIntervals, requiredFactoryIntervals: [], syncStore },
    });
    await sync.syncBlockData({ interval, requiredIntervals, logs, syncStore });
    return kept.map(({ blockNumber }) => Number(blockNumber));
  }

  /** Adds a log of the contract to a block. */
  function addLog(number: number): void {
    const block = canonical[number];
    if (!block) throw new Error("There is no such block.");
    const { hash, number: blockNumber } = block;
    block.logsBloom = `0x${"f".repeat(512)}`;
    const of = { blockHash: hash, blockNumber, transactionHash: zeroHash };
    const rest = { transactionIndex: "0x0", logIndex: "0x0", data: "0x", topics: [] };
    logs.set(hash, [{ address: filter.address, ...of, ...rest, removed: false }]);
  }

  it("requests the logs of a recent block again if its header indicates that there are some", async () => {
    addLog(3);
    expect(await backfill()).to.deep.equal([3]);
  });

  it("does not continue until the node returns the logs", async () => {
    addLog(3);
    const { hash } = canonical[3] as Block;
    const some = logs.get(hash) as object[];
    logs.clear();
    let requests = 0;
    rejects = ({ method, params: [what] }) => {
      if (method === "eth_getLogs" && (what as { blockHash?: Hex }).blockHash && ++requests === 2)
        logs.set(hash, some);
      return false;
    };
    expect(await backfill()).to.deep.equal([3]);
    expect(requests).to.equal(2);
  });

  it("trusts the node's logs for older blocks, and does not fetch their headers", async () => {
    canonical = branch("long", 300);
    addLog(3);
    expect(await backfill()).to.deep.equal([]);
    expect(methods.filter((method) => method === "eth_getBlockByNumber")).to.have.length(1 + 256);
  });
});
