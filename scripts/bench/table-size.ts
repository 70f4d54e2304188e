// Measures the cost of an operation with a million payments in the tables, as a ratio to its cost with a thousand. The
// two gateways are called alternately, so that a slow phase of the machine affects both.
import { fillTables } from "./fill-tables.ts";
import { median } from "./shared/load.ts";
import { createPayment, type Operation, operations, send } from "./shared/operations.ts";

const FEW = 1_000;
const MANY = Number(process.env.BENCH_PAYMENTS ?? 1_000_000);
const WARM_UP = 50;
const TIMES = 200;

type Gateway = { baseUrl: string; databaseUrl: string; apiKey: string };

export type Growth = { name: string; few: number; many: number; ratio: number };

async function fill({ baseUrl, databaseUrl, apiKey }: Gateway, to: number): Promise<Operation[]> {
  const created = await createPayment(baseUrl, apiKey);
  await fillTables(databaseUrl, created.id, { to });
  return operations(created);
}

async function timed({ baseUrl, apiKey }: Gateway, operation: Operation): Promise<number> {
  const start = performance.now();
  await send(baseUrl, apiKey, operation);
  return performance.now() - start;
}

/** @returns each operation's median milliseconds with few and with many payments */
export async function measureGrowth(small: Gateway, large: Gateway): Promise<Growth[]> {
  const [few, many] = [await fill(small, FEW), await fill(large, MANY)];
  const growth: Growth[] = [];
  for (const [i, operation] of few.entries()) {
    const times = { few: [] as number[], many: [] as number[] };
    for (let turn = 0; turn < WARM_UP + TIMES; turn++) {
      const [one, other] = [await timed(small, operation), await timed(large, many[i] ?? operation)];
      if (turn < WARM_UP) continue;
      times.few.push(one);
      times.many.push(other);
    }
    const medians = { few: median(times.few), many: median(times.many) };
    growth.push({ name: operation.name, ...medians, ratio: medians.many / medians.few });
  }
  return growth;
}
