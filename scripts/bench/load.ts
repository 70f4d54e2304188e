// Loads two servers in turns and compares them.
import { setTimeout as delay } from "node:timers/promises";
import autocannon, { type Options, type Result } from "autocannon";

export type { Options };

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 32;

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** @returns the number of answers. @throws Error unless every answer was 200 */
function answered({ non2xx, errors, timeouts, requests }: Result, url: string): number {
  const bad = non2xx + errors + timeouts;
  if (bad > 0) throw new Error(`${bad} of ${requests.total} requests to ${url} were not answered 200.`);
  return requests.total;
}

async function load(options: Options): Promise<Result> {
  const result = await autocannon({ connections: CONNECTIONS, duration: SECONDS, ...options });
  answered(result, options.url);
  return result;
}

/** Sends so many requests a second until it is stopped, which returns how many were answered. */
export function startSteadyLoad(options: Options, overallRate: number) {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const instance = autocannon(
    { connections: 2, duration: 3_600, ...options, overallRate },
    (error: Error | null, result) => (error ? reject(error) : resolve(result)),
  );
  return {
    async stop(): Promise<number> {
      instance.stop();
      return answered(await promise, options.url);
    },
  };
}

export type Comparison = { ours: number; bare: number; ratio: number; spread: readonly [number, number] };

/** Requests a second of both in turns, so that a slow moment of the machine meets both. */
export async function compare(ours: Options, bare: Options): Promise<Comparison> {
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const floor = (await load(bare)).requests.average;
    const rate = (await load(ours)).requests.average;
    // The first round warms both up.
    if (round > 0) rates.push({ ours: rate, bare: floor });
  }
  const ratios = rates.map(({ ours: rate, bare: floor }) => rate / floor);
  return {
    ours: Math.round(median(rates.map((rate) => rate.ours))),
    bare: Math.round(median(rates.map((rate) => rate.bare))),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** Callers that share a rate between them. */
const CALLERS = 8;

/** Sends requests at even distances until a moment; one that is late is sent at once, and none is made up for. */
async function callEvenly(options: Options, pause: number, until: number, times: number[]): Promise<void> {
  const headers = options.headers as Record<string, string>;
  const send = async (index: number) => {
    const path = options.requests?.[index % options.requests.length]?.path ?? "";
    const start = performance.now();
    const response = await fetch(new URL(path, options.url), { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${options.url} answered ${response.status}.`);
    times.push(performance.now() - start);
  };
  let due = performance.now() + Math.random() * pause;
  for (let index = 0; due < until; index++) {
    await delay(Math.max(0, due - performance.now()));
    await send(index);
    due = Math.max(due + pause, performance.now());
  }
}

/**
 * Milliseconds that an answer takes while so many requests a second come, spread evenly: why autocannon's own rate is no
 * such load is in docs/decisions/0027-latency-at-half-load.md.
 * @returns the median, and how many requests a second were sent
 */
export async function latencyUnder(
  options: Options,
  rate: number,
): Promise<{ median: number; sent: number }> {
  const times: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  const pause = (CALLERS / rate) * 1000;
  await Promise.all(Array.from({ length: CALLERS }, () => callEvenly(options, pause, until, times)));
  return { median: median(times), sent: Math.round(times.length / SECONDS) };
}
