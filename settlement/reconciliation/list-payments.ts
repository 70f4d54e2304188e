// Lists the payments that a reconciliation compares, with keyset pagination: all payments, those of one merchant, or
// those that changed after a seal.
import { eq, gt, type SQL, sql } from "drizzle-orm";
import { hexText, idText, intentIdText } from "#core/db/as-text.ts";
import { order } from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { IntentId } from "#core/ids.ts";
import type { Dependencies, Scope } from "./scope.ts";

export const PAYMENTS = 500;

/** The key of a page's last row, as text so that nothing is rounded. */
export type Key = [string, string, string];

/** A query whose rows are `intent` (null if not ours), `a`, `b`, `c`, after a key and in key order. */
type Source = { first: Key; after(key: Key): SQL };

const intentText = intentIdText(intent.id);
const payoutIdText = idText("payout", payout.id);

const all = ({ deployment }: Dependencies): Source => ({
  first: ["", "", ""],
  after: ([id]) => sql`
    select ${intentText} as intent, ${intentText} as a, '' as b, '' as c from ${intent}
    where ${intent.deploymentId} = ${deployment.id} and ${gt(intent.id, id as IntentId)} order by ${intent.id}`,
});

const merchants = ({ deployment }: Dependencies, merchantId: string): Source => ({
  first: ["", "-infinity", ""],
  after: ([mode, createdAt, id]) => sql`
    select case when ${intent.deploymentId} = ${deployment.id} then ${intentText} end as intent,
      ${intent.mode} as a, ${intent.createdAt}::text as b, ${intentText} as c
    from ${intent} where ${eq(intent.merchantId, merchantId)}
      and (${intent.mode}, ${intent.createdAt}, ${intent.id}) > (${mode}, ${createdAt}::timestamptz, ${sql.param(id, intent.id)})
    order by ${intent.mode}, ${intent.createdAt}, ${intent.id}`,
});

/**
 * The sources of changed payments: orders that changed on chain, postings of those blocks (their orders may no longer
 * exist), payouts whose settlement may no longer exist, and payouts that changed.
 */
const changed = ({ deployment }: Dependencies, { block, payoutsUpdatedAt }: Seal): Source[] => [
  {
    first: [String(block + 1), "", ""],
    after: ([above, id]) => sql`
      select ${intentText} as intent, ${order.updatedBlock}::text as a, ${hexText(order.id)} as b, '' as c from ${order}
      left join ${intent} on ${intent.id} = ${order.id} and ${intent.deploymentId} = ${deployment.id}
      where (${order.updatedBlock}, ${order.id}) > (${above}::numeric, ${sql.param(id, order.id)}) order by ${order.updatedBlock}, ${order.id}`,
  },
  {
    first: [String(block + 1), "", ""],
    after: ([above, id]) => sql`
      select ${intentIdText(ledgerPosting.intentId)} as intent, ${ledgerPosting.block}::text as a, ${intentIdText(ledgerPosting.intentId)} as b, '' as c from ${ledgerPosting}
      where ${ledgerPosting.deploymentId} = ${deployment.id} and (${ledgerPosting.block}, ${ledgerPosting.intentId}) > (${above}::bigint, ${sql.param(id, ledgerPosting.intentId)})
      order by ${ledgerPosting.block}, ${ledgerPosting.intentId}`,
  },
  {
    first: [String(block + 1), "", ""],
    after: ([above, id]) => sql`
      select ${intentIdText(payout.intentId)} as intent, ${payout.settlementBlock}::text as a, ${payoutIdText} as b, '' as c from ${payout}
      where (${payout.settlementBlock}, ${payout.id}) > (${above}::bigint, ${sql.param(id, payout.id)})
      order by ${payout.settlementBlock}, ${payout.id}`,
  },
  {
    first: [payoutsUpdatedAt, "", ""],
    after: ([from, id]) => sql`
      select ${intentIdText(payout.intentId)} as intent, ${payout.updatedAt}::text as a, ${payoutIdText} as b, '' as c from ${payout}
      where (${payout.updatedAt}, ${payout.id}) > (${from}::timestamptz, ${sql.param(id, payout.id)}) order by ${payout.updatedAt}, ${payout.id}`,
  },
];

function chooseSources(parts: Dependencies, { merchantId, sealed }: Scope): Source[] {
  if (merchantId !== undefined) return [merchants(parts, merchantId)];
  return sealed ? changed(parts, sealed) : [all(parts)];
}

/** The position in the list. */
export type PaymentsCursor = { source: number; key: Key | null };

/** @returns a function that lists the payments of one page, with the position of the next page: null after the last */
export function openPayments(parts: Dependencies, scope: Scope) {
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
