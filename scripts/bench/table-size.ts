// What an operation costs with a million payments in the tables, as a ratio to what it costs with a thousand.
import { fillTables } from "./fill-tables.ts";
import { median } from "./load.ts";
import { createPayment, operations, send } from "./operations.ts";

const FEW = 1_000;
const MANY = Number(process.env.BENCH_PAYMENTS ?? 1_000_000);
const TIMES = 200;

export type Growth = { name: string; few: number; many: number; ratio: number };

/** @returns each operation's median milliseconds with few and with many payments */
export async function measureGrowth(stack: {
  baseUrl: string;
  databaseUrl: string;
  apiKey: string;
}): Promise<Growth[]> {
  const { baseUrl, databaseUrl, apiKey } = stack;
  const created = await createPayment(baseUrl, apiKey);
  const measure = async () => {
    const medians = new Map<string, number>();
    for (const operation of operations(created)) {
      const times: number[] = [];
      for (let i = 0; i < TIMES; i++) {
        const start = performance.now();
        await send(baseUrl, apiKey, operation);
        times.push(performance.now() - start);
      }
      medians.set(operation.name, median(times));
    }
    return medians;
  };
  await fillTables(databaseUrl, created.id, { to: FEW });
  // The first time warms up.
  await measure();
  const few = await measure();
  await fillTables(databaseUrl, created.id, { from: FEW, to: MANY });
  const many = await measure();
  return [...few].map(([name, before]) => {
    const after = many.get(name) ?? Number.NaN;
    return { name, few: before, many: after, ratio: after / before };
  });
}
