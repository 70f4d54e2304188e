// A world with confirmed settlements, each with an unprocessed payout.
import { eq } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { until } from "#scripts/shared/wait.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { insertPayout } from "./payouts.ts";
import { makeWorld, PAYER, type World } from "./world.ts";

/** The method and the destination of a payout. */
export type Destination = { method: SettlementMethod; destination: string };

const MOCK: Destination = { method: "OFF_RAMP_MOCK", destination: "bank_account_123" };

/** Creates one payout per destination, all through the same off-ramp. */
export async function settledWorld(
  ways: number | Destination[],
  offRamp: (database: Database) => OffRamp,
): Promise<{ world: World; ids: string[]; url: string }> {
  const world = await makeWorld({
    offRamps: (database) => {
      const chosen = offRamp(database);
      return () => chosen;
    },
  });
  const ids: string[] = [];
  for (const way of typeof ways === "number" ? Array<Destination>(ways).fill(MOCK) : ways) {
    ids.push(await addSettled(world, way));
  }
  await world.chain.head(20);
  return { world, ids, url: world.databaseUrl };
}

async function addSettled({ addIntent, chain, context }: World, way: Destination): Promise<string> {
  const made = await addIntent({ lastEmittedStatus: "SUCCEEDED" });
  await chain.fund(made.orderId, made.terms, 1, PAYER);
  await chain.settle(made.orderId, made.terms, 10);
  return insertPayout(context.database, made, way);
}

export const stateOf = async (database: Database, id: string) => {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  return row;
};

export const allCompleted = (database: Database, count: number, timeoutMs: number) =>
  until(async () => (await database.$count(payout, eq(payout.state, "completed"))) === count, {
    what: `${count} payouts completed`,
    timeoutMs,
  });
