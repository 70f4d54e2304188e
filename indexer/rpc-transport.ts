// The transport through which Ponder calls the node. By default, Ponder trusts a single response and retries
// each request for a minute. Behind a load balancer, trusting one response can lose an order permanently, and
// the retries delay the index (docs/decisions/0009-indexer.md).
import pLimit from "p-limit";
import {
  type Address,
  type Hex,
  hexToBytes,
  http,
  keccak256,
  MethodNotSupportedRpcError,
  numberToHex,
  type Transport,
} from "viem";

type Request = { method: string; params?: unknown };
type Ask = (request: Request) => Promise<unknown>;
type Block = { number: Hex; hash: Hex; logsBloom: Hex };
type Log = { address: Address; topics: Hex[]; blockNumber: Hex; logIndex: Hex };
type LogRange = {
  address?: Address | Address[];
  topics?: (Hex | Hex[] | null)[];
  fromBlock: Hex;
  toBlock: Hex;
};

/** Limited so that queued polls from minutes of downtime do not delay a node that recovers. */
const MAX_POLLS_IN_FLIGHT = 4;
/**
 * At the head, the next block causes another attempt anyway. A block that has been dropped is never found, and
 * further retries would delay all other blocks.
 */
const ATTEMPTS_AT_HEAD = 4;
/** Assumed upper bound of the depth of a reorg and of the lag of a node. */
const FRESH_BLOCKS = 256;
/** Slow enough for a public node: at about 50 ms each, 40 requests per second. */
const HEADERS_AT_ONCE = 2;
/** A local node can handle more. */
const HEADERS_AT_ONCE_LOCALLY = 32;

/** Ponder retries every error except those with certain codes, including this one. It slows down on status 429. */
class NotRetried extends Error {
  readonly code = MethodNotSupportedRpcError.code;
  readonly status: number | undefined;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.status = (cause as { status?: number } | null)?.status;
  }
}

/** @param requestsPerSecond the maximum rate; by default, Ponder starts with 20 and adapts the rate */
export function createRpcTransport(
  url: string,
  requestsPerSecond?: number,
): Transport & { requestsPerSecond: number | undefined } {
  const atOnce = requestsPerSecond === undefined ? HEADERS_AT_ONCE : HEADERS_AT_ONCE_LOCALLY;
  const transport: Transport = (parameters) => {
    const node = http(url)(parameters);
    return { ...node, request: checkAnswers(node.request as Ask, atOnce) as typeof node.request };
  };
  return Object.assign(transport, { requestsPerSecond });
}

function checkAnswers(ask: Ask, headersAtOnce: number): Ask {
  const limit = pLimit(headersAtOnce);
  /** Recent blocks by number, cached because the backfills of several events request the same blocks. */
  const headers = new Map<number, Promise<Block>>();
  const failures = new Map<string, number>();
  let polls = 0;
  let lastPoll: Promise<Block | null> = Promise.resolve(null);
  let polled: Block | undefined;
  let height = 0;
  /** Whether the backfill has ended. Only then does Ponder poll or request blocks by hash. */
  let atHead = false;

  async function readLatest(request: Request): Promise<Block | null> {
    const block = (await ask(request)) as Block | null;
    if (block) height = Math.max(height, Number(block.number));
    return block;
  }

  /** @throws NotRetried because the next poll is another attempt */
  async function poll(request: Request): Promise<Block | null> {
    if (polls >= MAX_POLLS_IN_FLIGHT) return polled ?? (await lastPoll);
    polls++;
    lastPoll = readLatest(request)
      .catch((error: unknown) => {
        throw new NotRetried(error);
      })
      .finally(() => polls--);
    const block = await lastPoll;
    polled = block ?? polled;
    return block;
  }

  /** @throws NotRetried when the last attempt has failed */
  async function askAtHead(request: Request): Promise<unknown> {
    const key = JSON.stringify(request);
    try {
      const answer = await ask(request);
      failures.delete(key);
      return answer;
    } catch (error) {
      const failed = (failures.get(key) ?? 0) + 1;
      if (failed < ATTEMPTS_AT_HEAD) {
        failures.set(key, failed);
        throw error;
      }
      failures.delete(key);
      throw new NotRetried(error);
    }
  }

  /** @throws Error if the node does not have the block */
  function readHeader(number: number): Promise<Block> {
    const known = headers.get(number);
    if (known) return known;
    const header = limit(async () => {
      const request = { method: "eth_getBlockByNumber", params: [numberToHex(number), false] };
      const block = (await ask(request)) as Block | null;
      if (!block)
        throw new Error(`The node answered a request for block ${number}, but does not have that block.`);
      return block;
    });
    headers.set(number, header);
    header.catch(() => headers.delete(number));
    return header;
  }

  /** Rereads the logs of a block whose header indicates logs. @throws Error if the node again returns none */
  async function readLogs(number: number, range: LogRange): Promise<Log[]> {
    const block = await readHeader(number);
    if (!isInBloom(block.logsBloom, range)) return [];
    const logs = (await ask({ method: "eth_getLogs", params: [{ blockHash: block.hash }] })) as Log[];
    if (logs.length === 0) {
      headers.delete(number);
      throw new Error(`The node returned no logs for block ${number}, although its header indicates logs.`);
    }
    return logs.filter((log) => isMatch(log, range));
  }

  /**
   * A lagging or faulty node may return no logs for a recent block. The block's header shows whether it may have
   * logs.
   */
  async function readRange(request: Request, range: LogRange): Promise<unknown> {
    const logs = (await ask(request)) as Log[] | null;
    if (!logs) return logs;
    const known = new Set(logs.map(({ blockNumber }) => Number(blockNumber)));
    const last = Number(range.toBlock);
    const missing: Promise<Log[]>[] = [];
    for (
      let number = Math.max(Number(range.fromBlock), height - FRESH_BLOCKS + 1);
      number <= last;
      number++
    ) {
      if (!known.has(number)) missing.push(readLogs(number, range));
    }
    return [...logs, ...(await Promise.all(missing)).flat()].sort(
      (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
    );
  }

  return (request) => {
    const { method } = request;
    const [what, isFull] = (request.params ?? []) as [unknown, unknown];
    const isLatest = method === "eth_getBlockByNumber" && what === "latest";
    const range = method === "eth_getLogs" ? (what as Partial<LogRange>) : {};
    atHead ||= (isLatest && isFull === true) || method === "eth_getBlockByHash" || "blockHash" in range;
    if (isLatest && atHead) return poll(request);
    if (isLatest) {
      headers.clear();
      return readLatest(request);
    }
    if (range.fromBlock && range.toBlock) return readRange(request, range as LogRange);
    return atHead ? askAtHead(request) : ask(request);
  };
}

/**
 * Whether a block with this bloom filter may contain such logs. The filter contains addresses and topics (Yellow
 * Paper, 4.3.1).
 */
function isInBloom(bloom: Hex, { address, topics = [] }: LogRange): boolean {
  const bytes = hexToBytes(bloom);
  const has = (entry: Hex) => {
    const hash = hexToBytes(keccak256(entry));
    return [0, 2, 4].every((at) => {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff;
      return ((bytes[bytes.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
    });
  };
  return [address, ...topics].every((wanted) => list(wanted)?.some(has) ?? true);
}

function isMatch(log: Log, { address, topics = [] }: LogRange): boolean {
  return [address, ...topics].every((wanted, at) => {
    const value = at === 0 ? log.address : log.topics[at - 1];
    return list(wanted)?.some((one) => one.toLowerCase() === value?.toLowerCase()) ?? true;
  });
}

/** @returns undefined if any value matches */
function list(wanted: Hex | Hex[] | null | undefined): Hex[] | undefined {
  return typeof wanted === "string" ? [wanted] : (wanted ?? undefined);
}
