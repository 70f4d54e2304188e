// What all lists have in common: how many, and from when to when.
import { gte, lt, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { invalidRequest } from "#core/errors.ts";
import type { ListQuery } from "./query.ts";

/** @throws ServiceError 400 unless it is 1 to 100 (or absent: 10) */
export function limitOf(text: string | undefined): number {
  if (text === undefined) return 10;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 100)
    throw invalidRequest("Invalid limit: expected a whole number from 1 to 100.", "limit");
  return limit;
}

function momentOf(text: string | undefined, param: string): Date | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,11}$/.test(text)) throw invalidRequest(`Invalid ${param}: expected Unix seconds.`, param);
  return new Date(Number(text) * 1000);
}

/** `created[gte]` and `created[lte]` as conditions on a column. */
export function createdIn(column: PgColumn, { created }: ListQuery): SQL[] {
  const from = momentOf(created.gte, "created[gte]");
  const to = momentOf(created.lte, "created[lte]");
  return [
    ...(from ? [gte(column, from)] : []),
    // Seconds are what callers see: the whole last second belongs to the range.
    ...(to ? [lt(column, new Date(to.getTime() + 1000))] : []),
  ];
}

/** As JSON spells them: `007` is no number. */
const LITERAL = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?)$/;

/**
 * `metadata[key]` as conditions on a column of JSON. A query has only text; metadata may have held the number or the
 * truth value that it spells.
 */
export function metadataIn(column: SQLWrapper, { metadata }: ListQuery): SQL[] {
  return Object.entries(metadata).map(([key, text]) => {
    const has = (value: unknown) => sql`(${column}) @> ${JSON.stringify({ [key]: value })}::jsonb`;
    return LITERAL.test(text) ? sql`(${has(text)} or ${has(JSON.parse(text))})` : has(text);
  });
}

/** A row of a list. */
export type Place = { id: string; createdAt: Date };

/**
 * What comes after a row in a list that is newest first.
 * @param then what decides among rows of one moment
 */
export function comesAfter(
  table: { id: PgColumn; createdAt: PgColumn },
  then: PgColumn,
  place: Place,
): SQL[] {
  const row = sql`select c.created_at, c.${sql.identifier(then.name)} from ${then.table} c where c.id = ${place.id}`;
  return [
    // The coarse bound uses the index; it must not fall short: JavaScript's dates have milliseconds, the database's more.
    lte(table.createdAt, new Date(place.createdAt.getTime() + 1)),
    sql`(${table.createdAt}, ${then}) < (${row})`,
  ];
}

/** A page of what was read with one row more than wanted. */
export function pageOf<Row, Shown>(
  rows: Row[],
  limit: number,
  show: (row: Row) => Shown,
  url: URL,
): { object: "list"; data: Shown[]; has_more: boolean; url: string } {
  return {
    object: "list",
    data: rows.slice(0, limit).map(show),
    has_more: rows.length > limit,
    url: url.pathname,
  };
}
