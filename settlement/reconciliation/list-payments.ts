// The payments that a reconciliation compares, with keyset pagination: all of them, a merchant's, or those that changed
// after a seal.
import { type SQL, sql } from "drizzle-orm";
import type { Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { IntentId } from "#core/ids.ts";
import type { Parts, Scope } from "./scope.ts";

export const PAYMENTS = 500;

/** The key of a page's last row, as text so that nothing is rounded. */
export type Key = [string, string, string];

/** SQL that yields rows `intent` (null: not ours), `a`, `b`, `c` after a key, in key order. */
type Source = { first: Key; after(key: Key): SQL };

const all = ({ deployment }: Parts): Source => ({
  first: ["", "", ""],
  after: ([orderId]) => sql`
    select id as intent, order_id as a, '' as b, '' as c from gateway.intent
    where deployment_id = ${deployment.id} and order_id > ${orderId} order by order_id`,
});

const merchants = ({ deployment }: Parts, merchantId: string): Source => ({
  first: ["", "-infinity", ""],
  after: ([mode, createdAt, id]) => sql`
    select case when deployment_id = ${deployment.id} then id end as intent, mode as a, created_at::text as b, id as c
    from gateway.intent
    where merchant_id = ${merchantId} and (mode, created_at, id) > (${mode}, ${createdAt}::timestamptz, ${id})
    order by mode, created_at, id`,
});

/**
 * Orders that changed on chain; postings of those blocks, whose orders may be gone; payouts that changed or whose
 * settlement may be gone.
 */
const changed = ({ deployment }: Parts, { block, payoutsUpdatedAt }: Seal): Source[] => [
  {
    first: [String(block + 1), "", ""],
    after: ([above, id]) => sql`
      select i.id as intent, o.updated_block::text as a, o.id as b, '' as c from chain."order" o
      left join gateway.intent i on i.order_id = o.id and i.deployment_id = ${deployment.id}
      where (o.updated_block, o.id) > (${above}::numeric, ${id}) order by o.updated_block, o.id`,
  },
  {
    first: [String(block + 1), "", ""],
    after: ([above, id]) => sql`
      select intent_id as intent, block::text as a, intent_id as b, '' as c from gateway.ledger_posting
      where deployment_id = ${deployment.id} and (block, intent_id) > (${above}::bigint, ${id}) order by block, intent_id`,
  },
  {
    first: [String(block + 1), "", ""],
    after: ([above, id]) => sql`
      select intent_id as intent, settlement_block::text as a, id as b, '' as c from gateway.payout
      where (settlement_block, id) > (${above}::bigint, ${id}) order by settlement_block, id`,
  },
  {
    first: [payoutsUpdatedAt, "", ""],
    after: ([from, id]) => sql`
      select intent_id as intent, updated_at::text as a, id as b, '' as c from gateway.payout
      where (updated_at, id) > (${from}::timestamptz, ${id}) order by updated_at, id`,
  },
];

function chooseSources(parts: Parts, { merchantId, sealed }: Scope): Source[] {
  if (merchantId !== undefined) return [merchants(parts, merchantId)];
  return sealed ? changed(parts, sealed) : [all(parts)];
}

/** The position in the list. */
export type PaymentsCursor = { source: number; key: Key | null };

/** @returns lists the payments of one page, and returns the position of the next: null after the last */
export function openPayments(parts: Parts, scope: Scope) {
  const sources = chooseSources(parts, scope);
  return async ({
    source: index,
    key,
  }: PaymentsCursor): Promise<{ ids: IntentId[]; next: PaymentsCursor | null }> => {
    const source = sources[index];
    if (!source) return { ids: [], next: null };
    type Row = { intent: IntentId | null; a: string; b: string; c: string };
    const { rows } = await parts.database.execute<Row>(
      sql`${source.after(key ?? source.first)} limit ${PAYMENTS}`,
    );
    const last = rows.length < PAYMENTS ? undefined : rows.at(-1);
    const following = index + 1 < sources.length ? { source: index + 1, key: null } : null;
    return {
      ids: [...new Set(rows.flatMap(({ intent }) => intent ?? []))],
      next: last ? { source: index, key: [last.a, last.b, last.c] } : following,
    };
  };
}
