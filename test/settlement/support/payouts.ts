// Payouts in the form in which the planner stores them.
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { newId } from "#core/ids.ts";
import { settlementTxHash, timeOf } from "./chain-tables.ts";
import type { TestIntent } from "./intents.ts";

export type NewPayout = typeof payout.$inferInsert;

/**
 * Stores the first payout attempt for the only settlement of an order, which `ChainTables.settle` has created.
 * @returns its id
 */
export async function insertPayout(
  database: Database,
  { id: intentId, orderId, terms: { amount } }: TestIntent,
  more: Partial<NewPayout> = {},
): Promise<string> {
  const id = newId("payout");
  await database.insert(payout).values({
    id,
    reference: newId("ref"),
    intentId,
    settlementNumber: 1,
    settlementTxHash: settlementTxHash(orderId),
    settledAt: new Date(timeOf(0) * 1_000),
    settlementAmount: amount,
    attempt: 1,
    method: "OFF_RAMP_MOCK",
    destination: "bank_account_123",
    amount,
    currency: "USDC",
    ...more,
  });
  return id;
}
