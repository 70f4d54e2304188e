// Builds the statements that insert and delete the search terms of payment intents.
import { eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { columnNames } from "../db/column-names.ts";
import { intent } from "../db/schema/intents.ts";
import { searchTerm } from "../db/schema/search-terms.ts";
import { toStoredForm } from "../db/stored-form.ts";
import type { IntentId } from "../ids.ts";

type SearchTerms = { id: IntentId; terms: readonly string[] };

const toJson = (payments: readonly SearchTerms[]): string =>
  JSON.stringify(
    payments
      .flatMap(({ id: intentId, terms }) => terms.map((term) => ({ intentId, term })))
      .map(toStoredForm(searchTerm)),
  );

const [i, s] = [alias(intent, "i"), alias(searchTerm, "s")];
const names = columnNames(searchTerm);

/** @param source a table or CTE with the columns `id`, `merchant_id` and `created_at` of intents */
const insertFrom = (source: SQL, payments: readonly SearchTerms[]): SQL => sql`
  insert into ${searchTerm} (${names.merchantId}, ${names.term}, ${names.createdAt}, ${names.intentId})
  select ${i.merchantId}, t.term, ${i.createdAt}, ${i.id}
  from json_to_recordset(${toJson(payments)}::json) as t ("intentId" bytea, term text) join ${source} i on ${i.id} = t."intentId"
  on conflict do nothing`;

/** Builds the insert of search terms for intents that the statement's CTE `made` inserts. */
export const insertSearchTermsOfNew = (payments: readonly SearchTerms[]): SQL =>
  insertFrom(sql`made`, payments);

export const insertSearchTerms = (payments: readonly SearchTerms[]): SQL =>
  insertFrom(sql`${intent}`, payments);

/** Builds the deletion of the given search terms of one intent. */
export const deleteSearchTerms = ({ id, terms }: SearchTerms): SQL => sql`
  delete from ${searchTerm} s using ${intent} i
  where ${eq(i.id, id)} and ${s.merchantId} = ${i.merchantId} and ${s.term} = any(${sql.param(terms)}::text[])
    and ${s.createdAt} = ${i.createdAt} and ${s.intentId} = ${i.id}`;
