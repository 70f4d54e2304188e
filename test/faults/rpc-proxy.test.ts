// The proxy's faults as its clients see them.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { numberToHex } from "viem";
import { Random } from "./random.ts";
import { NO_FAULTS, RpcProxy } from "./rpc-proxy.ts";

type Block = { number: string; hash: string; parentHash: string };

const HEAD = 20;
const blockOf = (number: number): Block => ({
  number: numberToHex(number),
  hash: numberToHex(number, { size: 32 }),
  parentHash: numberToHex(number - 1, { size: 32 }),
});

/** Responds like a node with twenty blocks and a transaction in the last one. */
function answer(method: string, [first]: unknown[]): unknown {
  if (method === "eth_blockNumber") return numberToHex(HEAD);
  if (method === "eth_getBlockByNumber") return blockOf(first === "latest" ? HEAD : Number(first));
  if (method === "eth_getTransactionReceipt") return { blockNumber: numberToHex(HEAD), status: "0x1" };
  if (method === "eth_getLogs") return [{ blockNumber: numberToHex(HEAD) }];
  return null;
}

const node = Bun.serve({
  port: 0,
  async fetch(request) {
    const { id, method, params } = (await request.json()) as {
      id: number;
      method: string;
      params: unknown[];
    };
    return Response.json({ jsonrpc: "2.0", id, result: answer(method, params ?? []) });
  },
});
const random = new Random(1);
let proxy: RpcProxy;

beforeAll(() => {
  proxy = new RpcProxy(`http://127.0.0.1:${node.port}`, () => random);
});
beforeEach(() => {
  proxy.faults = { ...NO_FAULTS };
});
afterAll(async () => {
  await proxy.stop();
  await node.stop(true);
});

async function ask<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(proxy.url, { method: "POST", body });
  return ((await response.json()) as { result: T }).result;
}

describe("the proxy in front of the node", () => {
  it("forwards the node's responses", async () => {
    expect(await ask<string>("eth_blockNumber")).to.equal(numberToHex(HEAD));
  });

  it("lags: the content of the last blocks is not visible yet", async () => {
    proxy.faults.lag = 3;
    expect(await ask<string>("eth_blockNumber")).to.equal(numberToHex(HEAD - 3));
    expect((await ask<Block>("eth_getBlockByNumber", "latest", false)).number).to.equal(
      numberToHex(HEAD - 3),
    );
    expect(await ask("eth_getBlockByNumber", numberToHex(HEAD), false)).to.equal(null);
    expect(await ask("eth_getTransactionReceipt", "0x1")).to.equal(null);
    expect(await ask<unknown[]>("eth_getLogs", {})).to.deep.equal([]);
  });

  it("lies about blocks: they are consecutive, have no logs, and vanish afterward", async () => {
    const lie = proxy.lieAboutBlocks(2, 300);
    while ((await ask<string>("eth_blockNumber")) === numberToHex(HEAD)) await Bun.sleep(5);
    const top = await ask<Block>("eth_getBlockByNumber", "latest", false);
    const below = await ask<Block>("eth_getBlockByNumber", numberToHex(HEAD + 1), false);
    expect(top).to.include({ number: numberToHex(HEAD + 2), parentHash: below.hash });
    expect(below.parentHash).to.equal(blockOf(HEAD).hash);
    expect(await ask<unknown[]>("eth_getLogs", { blockHash: top.hash })).to.deep.equal([]);
    await lie;
    expect(await ask<string>("eth_blockNumber")).to.equal(numberToHex(HEAD));
  });

  it("lies about receipts and logs: mined transactions appear unmined", async () => {
    Object.assign(proxy.faults, { hidesLogs: 1, liesReceipts: 1 });
    expect(await ask("eth_getTransactionReceipt", "0x1")).to.equal(null);
    expect(await ask<unknown[]>("eth_getLogs", {})).to.deep.equal([]);
  });

  it("fails in various ways", async () => {
    proxy.faults.fails = 1;
    const before = proxy.hits.fails;
    for (let tries = 0; tries < 8; tries++) {
      const result = await ask("eth_blockNumber").catch(() => undefined);
      expect(result).to.equal(undefined);
    }
    expect(proxy.hits.fails).to.equal(before + 8);
  });
});
