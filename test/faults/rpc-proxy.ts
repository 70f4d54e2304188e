// The gateway's only connection to its node: a real HTTP proxy with configurable faults.
import { setTimeout as delay } from "node:timers/promises";
import { type Hex, hexToNumber, keccak256, numberToHex, pad } from "viem";
import type { Random } from "./random.ts";

export type RpcFaults = {
  /** The share of requests that fail with an HTTP error, a JSON-RPC error, or no response. */
  fails: number;
  /** Maximum delay of a response, in milliseconds. */
  delayMs: number;
  /** Number of blocks by which the node lags behind. */
  lag: number;
  /** The share of log queries that return no logs. */
  hidesLogs: number;
  /** The share of receipt queries with a false result: no receipt, or one in a block that does not exist. */
  liesReceipts: number;
};

export const NO_FAULTS: RpcFaults = { fails: 0, delayMs: 0, lag: 0, hidesLogs: 0, liesReceipts: 0 };

type Request = { id: unknown; method: string; params?: unknown[] };
type Reply = { id: unknown; jsonrpc: "2.0"; result?: unknown; error?: { code: number; message: string } };
export type RpcBlock = Record<string, unknown> & { number: Hex; hash: Hex };

/** The index of the parameter that names a block. */
const BLOCK_PARAMETER: Record<string, number> = {
  eth_getBlockByNumber: 0,
  eth_call: 1,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_estimateGas: 1,
};

export class RpcProxy {
  faults: RpcFaults = { ...NO_FAULTS };
  /** Every submitted signed transaction by its hash. A real network does not forget them in a reorg. */
  readonly raw = new Map<Hex, Hex>();
  /** The number of requests that each kind of fault has affected. */
  readonly hits: Record<keyof RpcFaults | "fork", number> = {
    ...NO_FAULTS,
    fork: 0,
  };
  /** Fake blocks on top of the last real one. While there are any, the last one is the chain's head. */
  #fork: RpcBlock[] = [];
  #gate: Promise<void> = Promise.resolve();
  readonly #random: () => Random;
  readonly #server;

  constructor(
    private readonly nodeUrl: string,
    random: () => Random,
  ) {
    this.#random = random;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 60,
      fetch: (request) => this.#answerTo(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Holds back responses while the chain is changed, so that clients never see a state between two blocks. */
  async behindClosedDoors<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    try {
      return await work();
    } finally {
      resolve();
    }
  }

  /** Serves empty blocks that do not exist, for a given time. */
  async lieAboutBlocks(count: number, forMs: number): Promise<void> {
    const head = await this.ask<RpcBlock>("eth_getBlockByNumber", ["latest", false]);
    let parent = head;
    this.#fork = Array.from({ length: count }, () => {
      const block: RpcBlock = {
        ...parent,
        number: numberToHex(hexToNumber(parent.number) + 1),
        hash: this.#random().word(),
        parentHash: parent.hash,
        logsBloom: pad("0x", { size: 256 }),
        transactions: [],
      };
      parent = block;
      return block;
    });
    await delay(forMs);
    this.#fork = [];
  }

  /** Calls the node directly, without faults. */
  async ask<T>(method: string, params: unknown[] = []): Promise<T> {
    const { result, error } = await this.#forward({ id: 1, method, params });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #forward(request: Request): Promise<Reply> {
    const answer = await fetch(this.nodeUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...request }),
    });
    return (await answer.json()) as Reply;
  }

  async #answerTo(request: globalThis.Request): Promise<Response> {
    const asked = (await request.json()) as Request | Request[];
    await this.#gate;
    const random = this.#random();
    const { fails, delayMs } = this.faults;
    if (delayMs > 0) {
      this.hits.delayMs++;
      await delay(random.integer(0, delayMs));
    }
    if (fails > 0 && random.happens(fails)) {
      this.hits.fails++;
      return this.#failure(asked);
    }
    const answer = Array.isArray(asked)
      ? await Promise.all(asked.map((one) => this.#answer(one)))
      : await this.#answer(asked);
    return Response.json(answer);
  }

  #failure(asked: Request | Request[]): Response {
    switch (this.#random().integer(0, 3)) {
      case 0:
        return new Response("bad gateway", { status: 502 });
      case 1:
        return Response.json({ error: "too many requests" }, { status: 429 });
      case 2:
        return new Response("{", { status: 200 });
      default: {
        const error = { code: -32603, message: "internal error" };
        const of = ({ id }: Request) => ({ jsonrpc: "2.0", id, error });
        return Response.json(Array.isArray(asked) ? asked.map(of) : of(asked));
      }
    }
  }

  async #answer(request: Request): Promise<Reply> {
    const { id, method, params = [] } = request;
    const say = (result: unknown): Reply => ({ jsonrpc: "2.0", id, result });
    if (method === "eth_sendRawTransaction") {
      const [raw] = params as [Hex];
      this.raw.set(keccak256(raw), raw);
    }
    if (this.#fork.length > 0) {
      const answer = this.#fromFork(method, params);
      if (answer !== undefined) {
        this.hits.fork++;
        return say(answer);
      }
    }
    const { lag, hidesLogs, liesReceipts } = this.faults;
    if (hidesLogs > 0 && method === "eth_getLogs" && this.#random().happens(hidesLogs)) {
      this.hits.hidesLogs++;
      return say([]);
    }
    if (liesReceipts > 0 && method === "eth_getTransactionReceipt" && this.#random().happens(liesReceipts)) {
      this.hits.liesReceipts++;
      return say(await this.#falseReceipt(params[0] as Hex));
    }
    return lag > 0 ? this.#behind(request, lag) : this.#forward(request);
  }

  /** Returns the fake chain's response; undefined if the real response is consistent with the fake blocks. */
  #fromFork(method: string, params: unknown[]): unknown {
    const top = this.#fork.at(-1);
    const [first] = params;
    if (method === "eth_blockNumber") return top?.number;
    if (method === "eth_getBlockByNumber") {
      if (first === "latest") return top;
      return this.#fork.find(({ number }) => number === first);
    }
    if (method === "eth_getBlockByHash") return this.#fork.find(({ hash }) => hash === first);
    if (method === "eth_getBlockReceipts") {
      return this.#fork.some(({ hash, number }) => hash === first || number === first) ? [] : undefined;
    }
    const wanted = (first as { blockHash?: Hex } | undefined)?.blockHash;
    if (method === "eth_getLogs" && this.#fork.some(({ hash }) => hash === wanted)) return [];
    return undefined;
  }

  /** Returns no receipt for a mined transaction, and a receipt in a nonexistent block for a pending one. */
  async #falseReceipt(hash: Hex): Promise<unknown> {
    const [receipt, transaction, head] = await Promise.all([
      this.ask<object | null>("eth_getTransactionReceipt", [hash]),
      this.ask<{ from: Hex; to: Hex } | null>("eth_getTransactionByHash", [hash]),
      this.ask<Hex>("eth_blockNumber"),
    ]);
    if (receipt || !transaction) return null;
    return {
      ...{ transactionHash: hash, transactionIndex: "0x0", blockHash: this.#random().word() },
      ...{ blockNumber: head, from: transaction.from, to: transaction.to, contractAddress: null },
      ...{ cumulativeGasUsed: "0x5208", gasUsed: "0x5208", effectiveGasPrice: "0x1", logs: [] },
      ...{ logsBloom: pad("0x", { size: 256 }), status: "0x1", type: "0x2" },
    };
  }

  /** Returns the response of a node that has not seen the last blocks. */
  async #behind(request: Request, lag: number): Promise<Reply> {
    const { id, method, params = [] } = request;
    const head = hexToNumber(await this.ask<Hex>("eth_blockNumber"));
    const seen = Math.max(0, head - lag);
    const say = (result: unknown): Reply => ({ jsonrpc: "2.0", id, result });
    const isUnseen = (number: unknown) => typeof number === "string" && hexToNumber(number as Hex) > seen;
    this.hits.lag++;
    if (method === "eth_blockNumber") return say(numberToHex(seen));
    const index = BLOCK_PARAMETER[method];
    if (index !== undefined) {
      const wanted = params[index] ?? "latest";
      if (wanted === "latest") {
        const asked = [...params];
        asked[index] = numberToHex(seen);
        return this.#forward({ id, method, params: asked });
      }
      if (typeof wanted === "string" && wanted.startsWith("0x") && isUnseen(wanted)) return say(null);
    }
    const reply = await this.#forward(request);
    const found = reply.result as { number?: unknown; blockNumber?: unknown } | null | undefined;
    const hidden =
      (method === "eth_getBlockByHash" && isUnseen(found?.number)) ||
      (method === "eth_getTransactionReceipt" && isUnseen(found?.blockNumber));
    if (hidden) return say(null);
    if (method === "eth_getLogs" && Array.isArray(found)) {
      return say(found.filter((log: { blockNumber: unknown }) => !isUnseen(log.blockNumber)));
    }
    return reply;
  }
}
