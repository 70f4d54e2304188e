// Loads two servers alternately and compares them.
import autocannon, { type Options, type Result } from "autocannon";

export type { Options };

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
export const CONNECTIONS = 32;

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** @returns the number of responses. @throws Error unless every response was 200 */
function answered({ non2xx, errors, timeouts, requests }: Result, url: string): number {
  const bad = non2xx + errors + timeouts;
  if (bad > 0) throw new Error(`${bad} of ${requests.total} requests to ${url} did not return 200.`);
  return requests.total;
}

async function load(options: Options): Promise<Result> {
  const result = await autocannon({ connections: CONNECTIONS, duration: SECONDS, ...options });
  answered(result, options.url);
  return result;
}

/** Sends requests at a given rate until it is stopped. Stopping returns the number of responses. */
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

/**
 * Measures the requests per second of both servers in alternation, so that a slow phase of the machine affects both.
 */
export async function compare(ours: Options, bare: Options): Promise<Comparison> {
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const floor = (await load(bare)).requests.average;
    const rate = (await load(ours)).requests.average;
    // The first round is a warm-up.
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
