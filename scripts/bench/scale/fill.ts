// Fills the service's tables and the indexer's with history: copies of payments that the service itself processed.
import type { Client } from "pg";
import { advance, copies, counterOf, type Positions } from "./copy.ts";
import { HISTORY_BLOCKS } from "./measured-gateway.ts";
import { quoted, type Table, type Template } from "./templates.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Number of payments added at a time, so that related rows are stored close together. */
const CHUNK = 5_000;
const ROWS_A_SEAL = 1_000;

/** The time over which payments are spread: the ages in seconds of the first and of the last one, and their blocks. */
export type Period = { first: number; last: number; blocks: { first: number; count: number } };

/** Ninety days, which end a day ago, so that nothing is due. */
const HISTORY: Period = { first: 91 * DAY_S, last: DAY_S, blocks: { first: 1, count: HISTORY_BLOCKS } };
export const LAST_HOUR: Period = { first: HOUR_S, last: 0, blocks: { first: HISTORY_BLOCKS, count: 1 } };

/** The target number of payments, and how many of them are open. */
export type Size = { payments: number; open: number };

type Index = { name: string; schema: string; definition: string };

/** Drops the indexes that enforce no constraint, because recreating them after the inserts is faster. */
async function dropIndexes(client: Client, tables: Table[]): Promise<Index[]> {
  const { rows } = await client.query<Index>(
    `select i.indexrelid::regclass::text as name, n.nspname as schema, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
     where format('"%s"."%s"', n.nspname, c.relname) = any($1)
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
    [tables.map(quoted)],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

async function readPositions(client: Client, tables: Table[]): Promise<Positions> {
  const positions: Positions = new Map();
  for (const table of tables) {
    const counted = counterOf(table);
    if (!counted) continue;
    const { rows } = await client.query<{ next: string }>(
      `select (coalesce(max("${counted.column.name}"), 0) + 1)::text as next from ${quoted(table)}`,
    );
    const next = Number(rows[0]?.next);
    positions.set(counted.counter, Math.max(next, positions.get(counted.counter) ?? 1));
  }
  return positions;
}

async function setSequences(client: Client, tables: Table[], positions: Positions): Promise<void> {
  const sequences = new Set(tables.flatMap(({ columns }) => columns.flatMap(({ counter }) => counter ?? [])));
  for (const sequence of sequences) {
    await client.query("select setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0)", [
      sequence,
      (positions.get(sequence) ?? 1) - 1,
    ]);
  }
}

/** Seals the rows added to the audit log. The hashes are made up, because this log is never verified. */
async function sealAuditLog(client: Client): Promise<void> {
  await client.query(
    `insert into gateway.audit_seal (first_position, last_position, leaves, previous_hash, hash, created_at)
     select s.first, least(s.first + ${ROWS_A_SEAL} - 1, l.last), leaves, sha256(('p' || s.first)::bytea), sha256(('h' || s.first)::bytea), now()
     from (select coalesce(max(last_position), 0) + 1 as next from gateway.audit_seal) f,
       (select greatest((select max(position) from gateway.audit_log), (select max(position) from gateway.event)) as last) l,
       generate_series(f.next, l.last, ${ROWS_A_SEAL}) as s (first),
       lateral (select string_agg(substr(int8send(a.position), 3) || sha256(int8send(a.position)), '' order by a.position) as leaves
         from (select position from gateway.audit_log union all select position from gateway.event) a
         where a.position between s.first and s.first + ${ROWS_A_SEAL} - 1) found
     where leaves is not null order by s.first`,
  );
}

/** Updates the balances, as the triggers on postings would have done. */
const BALANCES = `
  with sums as (
    select deployment_id, merchant_id, mode, currency, account, sum(amount) as amount from (
      select deployment_id, merchant_id, mode, currency, from_account as account, -amount as amount
      from gateway.ledger_posting
      union all select deployment_id, merchant_id, mode, currency, to_account, amount from gateway.ledger_posting) moved
    group by 1, 2, 3, 4, 5)
  update gateway.ledger_balance b set amount = sums.amount from sums
  where (b.deployment_id, b.merchant_id, b.mode, b.currency, b.account)
    = (sums.deployment_id, sums.merchant_id, sums.mode, sums.currency, sums.account)`;

type Counted = { template: Template; count: number; done: number };

function counts(templates: Template[], { payments, open }: Size): Counted[] {
  const part = (isOpen: boolean, total: number) => {
    const some = templates.filter((one) => one.open === isOpen);
    const weight = some.reduce((sum, { share }) => sum + share, 0);
    return some.map((template) => ({
      template,
      count: Math.round((total * template.share) / weight),
      done: 0,
    }));
  };
  return [...part(false, payments - open), ...part(true, open)];
}

/**
 * Adds payments up to a given number.
 * @param before the number added so far
 */
async function addCopies(
  client: Client,
  templates: Template[],
  before: Size,
  to: Size,
  { first, last, blocks }: Period,
): Promise<void> {
  const added = { payments: to.payments - before.payments, open: to.open - before.open };
  const all = counts(templates, added);
  const tables = [...new Set(templates.flatMap(({ rows }) => [...rows.keys()]))];
  const positions = await readPositions(client, tables);
  const now = Math.floor(Date.now() / 1_000);
  const chunks = Math.max(1, Math.ceil(added.payments / CHUNK));
  const chunkS = (first - last) / chunks;
  for (let chunk = 0; chunk < chunks; chunk++) {
    for (const one of all) {
      const upTo = Math.round((one.count * (chunk + 1)) / chunks);
      const count = upTo - one.done;
      if (count === 0) continue;
      const slice = {
        first: before.payments * 2 + one.done + 1,
        count,
        age: first - chunk * chunkS - (now - one.template.readAt),
        step: chunkS / count,
        block: blocks.first + Math.floor((blocks.count * chunk) / chunks),
      };
      for (const statement of copies(one.template, slice, positions, now)) await client.query(statement);
      advance(one.template, slice, positions);
      one.done = upTo;
    }
  }
  await setSequences(client, tables, positions);
}

/** Adds payments up to a given number, seals the audit log and updates the balances. No role may be running. */
export async function fill(
  client: Client,
  templates: Template[],
  before: Size,
  to: Size,
  { period = HISTORY, keepIndexes = false }: { period?: Period; keepIndexes?: boolean } = {},
): Promise<void> {
  const tables = [...new Set(templates.flatMap(({ rows }) => [...rows.keys()]))];
  // Triggers are disabled, because the rows that they would insert are among the copies.
  await client.query("set session_replication_role = replica");
  try {
    const indexes = keepIndexes ? [] : await dropIndexes(client, tables);
    await addCopies(client, templates, before, to, period);
    for (const { definition } of indexes) await client.query(definition);
    await sealAuditLog(client);
    await client.query(BALANCES);
  } finally {
    await client.query("reset session_replication_role");
  }
}
