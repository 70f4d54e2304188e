// Which intents may be shown otherwise than when they were last looked at: those of which something has changed. What
// this overlooks (an order that a reorg took away, a funding deadline, a transaction that was open for long) the
// sweep over all of them sees (observe.ts).
import { type SQL, sql } from "drizzle-orm";
import type { IntentId } from "#core/ids.ts";
import type { Context } from "./context.ts";

/** A change becomes visible when its transaction ends, with the time at which it was made. */
const OVERLAP = "5 seconds";

/** `change` names a change of a row: the row and when it was made; null for what every look is to see. */
type Row = { id: IntentId | null; change: string | null; now: string; head: number };

/** Where the last look ended, and the changes that it knew. */
type Seen = { at: string; head: number; changes: ReadonlySet<string> };

export type Changes = {
  ids: IntentId[];
  /** They have been looked at: the next question begins where this one ended. */
  done(): void;
};

/**
 * Makes the question what has changed since the last that was done; the first time, nothing. It costs what has changed,
 * not what there is: every part goes by an index.
 */
export function createChangeFinder({ database, deployment, config }: Context): () => Promise<Changes> {
  let seen: Seen | undefined;

  const place = sql`select clock_timestamp()::text as now,
    coalesce((select substr(latest_checkpoint, 27, 16)::bigint from chain._ponder_checkpoint
      where chain_id = ${deployment.chainId}), 0)::int as head`;

  const since = sql`${sql.placeholder("at")}::timestamptz - ${OVERLAP}::interval`;
  // Whatever waits for its confirmations is looked at with every block, and what went back with a reorg as well.
  const block = sql`${sql.placeholder("head")}::bigint - ${2 * config.chain.confirmations}`;
  const changed = sql`
    select i.id, null as change from chain.order o join gateway.intent i on i.order_id = o.id
      where o.updated_block >= ${block}
    union select id, null from gateway.intent where last_seen_status = 'PROCESSING'
    union select id, 'intent ' || id || updated_at from gateway.intent
      where updated_at >= ${since} and last_seen_status not in ('FINAL', 'CANCELED')
    union select i.id, 'transaction ' || t.id || t.updated_at from gateway.transaction t
      join gateway.transaction_order o on o.transaction_id = t.id join gateway.intent i on i.order_id = o.order_id
      where t.updated_at >= ${since} and o.purpose = 'create_order'
    union select intent_id, 'hint ' || intent_id || created_at from gateway.transaction_hint
      where created_at >= ${since}
    union select intent_id, 'payout ' || id || updated_at from gateway.payout where updated_at >= ${since}
    union select intent_id, 'final ' || id || final_at from gateway.payout
      where final_at >= ${since} and final_at <= clock_timestamp()`;

  // Not with a plan for any moment: of most tables it would read a third.
  const select = (rows: SQL) =>
    database
      .select({
        id: sql<Row["id"]>`id`,
        change: sql<Row["change"]>`change`,
        now: sql<string>`now`,
        head: sql<number>`head`,
      })
      .from(sql`(${rows}) found`);
  const begin = select(sql`select null as id, null as change, p.* from (${place}) p`);
  const goOn = select(sql`
    with p as (${place}), changed as (${changed}),
    ours as (select changed.* from changed join gateway.intent using (id) where deployment_id = ${deployment.id})
    select ours.id, ours.change, p.now, p.head from p left join ours on true`).prepare("changed_intents");

  return async () => {
    const last = seen;
    const rows = last ? await goOn.execute({ at: last.at, head: last.head }) : await begin;
    const [first] = rows;
    const isNews = ({ change }: Row) => change === null || !last?.changes.has(change);
    return {
      ids: [...new Set(rows.filter(isNews).flatMap(({ id }) => (id === null ? [] : [id])))],
      done() {
        const changes = new Set(rows.flatMap(({ change }) => (change === null ? [] : [change])));
        if (first) seen = { at: first.now, head: first.head, changes };
      },
    };
  };
}
