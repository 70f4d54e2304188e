// Loads two servers in turns and compares them.
import autocannon, { type Options, type Result } from "autocannon";

export type { Options };

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
export const CONNECTIONS = 32;

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
