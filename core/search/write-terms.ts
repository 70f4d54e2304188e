// Writes the search terms of payments.
import { type SQL, sql } from "drizzle-orm";
import type { IntentId } from "../ids.ts";

type Terms = { id: IntentId; terms: readonly string[] };

const rowsOf = (payments: readonly Terms[]): string =>
  JSON.stringify(payments.flatMap(({ id, terms }) => terms.map((term) => ({ id, term }))));

/** @param source a table or CTE with the intents' columns `id`, `merchant_id` and `created_at` */
const insertFrom = (source: SQL, payments: readonly Terms[]): SQL => sql`
  insert into gateway.search_term (merchant_id, term, created_at, intent_id)
  select i.merchant_id, t.term, i.created_at, decode(substr(i.id, 8), 'hex')
  from json_to_recordset(${rowsOf(payments)}::json) as t (id text, term text) join ${source} i on i.id = t.id
  on conflict do nothing`;

/** For intents that another part of the statement has inserted, as `made`. */
export const insertTermsOfNew = (payments: readonly Terms[]): SQL => insertFrom(sql`made`, payments);

export const insertTerms = (payments: readonly Terms[]): SQL => insertFrom(sql`gateway.intent`, payments);

/** Removes terms of one intent. */
export const deleteTerms = ({ id, terms }: Terms): SQL => sql`
  delete from gateway.search_term s using gateway.intent i
  where i.id = ${id} and s.merchant_id = i.merchant_id and s.term = any(${sql.param(terms)}::text[])
    and s.created_at = i.created_at and s.intent_id = decode(substr(i.id, 8), 'hex')`;
