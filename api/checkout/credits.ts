// Amounts that payers can claim from the contract, because the token rejected the transfer of their refunds.
import { inArray } from "drizzle-orm";
import { credit, type OrderRow } from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import type { IntentView } from "#core/intent/read-intent.ts";

/**
 * Returns the amount, in the smallest unit, that an order's payer can claim in the order's token. The amount may
 * come from this order or from others.
 */
export type Credits = (order: OrderRow) => bigint;

const NONE: Credits = () => 0n;
const buildKey = ({ account, token }: { account: string; token: string }) =>
  `${account} ${token}`.toLowerCase();

/**
 * Loads the credits of all payments with one query. No query is needed if nothing was refunded, because only
 * refunds can become credits.
 */
export async function findCredits(database: Database, views: readonly IntentView[]): Promise<Credits> {
  const payers = views.flatMap(({ order }) => (order && order.refunded > 0n ? [order.payer] : []));
  if (payers.length === 0) return NONE;
  const rows = await database
    .select({ account: credit.account, token: credit.token, amount: credit.amount })
    .from(credit)
    .where(inArray(credit.account, [...new Set(payers)]));
  const amounts = new Map(rows.map((row) => [buildKey(row), row.amount]));
  return ({ payer, token, refunded }) =>
    refunded === 0n ? 0n : (amounts.get(buildKey({ account: payer, token })) ?? 0n);
}
