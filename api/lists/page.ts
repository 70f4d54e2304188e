// What all lists have in common: page size, cursor, and time range.
import { asc, desc, gte, lt, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { TWO_CURSORS } from "./documented-errors.ts";

/** `created[gte]` and `created[lte]` as conditions on a column. */
export function createdIn(
  column: PgColumn,
  { gte: from, lte: to }: { gte?: number; lte?: number } = {},
): SQL[] {
  return [
    ...(from === undefined ? [] : [gte(column, new Date(from * 1000))]),
    // Callers see seconds, so the last second belongs to the range.
    ...(to === undefined ? [] : [lt(column, new Date((to + 1) * 1000))]),
  ];
}

/** JSON's spelling: `007` is not a number. */
const LITERAL = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?)$/;

/**
 * `metadata[key]` as conditions on a JSON column. A query only has text, while metadata may contain the number or
 * boolean that it spells.
 */
export function metadataIn(column: SQLWrapper, metadata: Record<string, string> = {}): SQL[] {
  const conditions = Object.entries(metadata).map(([key, text]) => {
    const has = (value: unknown) => sql`(${column}) @> ${JSON.stringify({ [key]: value })}::jsonb`;
    return LITERAL.test(text) ? sql`(${has(text)} or ${has(JSON.parse(text))})` : has(text);
  });
  // The index has no rows without metadata.
  return conditions.length === 0 ? [] : [sql`(${column}) <> '{}'`, ...conditions];
}

/** The query of every list. */
export type PageQuery = { limit?: number; starting_after?: string; ending_before?: string };

/** The requested part of a list. */
export type Page = {
  limit: number;
  /** The row at the cursor, and the parameter that names it. */
  cursor: { id: string; param: "starting_after" | "ending_before" } | undefined;
  /** Whether to read from the cursor towards newer rows. */
  isBackward: boolean;
};

/** @throws ServiceError 400 for two cursors */
export function pageIn({ limit = 10, starting_after: after, ending_before: before }: PageQuery): Page {
  if (after !== undefined && before !== undefined) throw TWO_CURSORS;
  if (before !== undefined) {
    return { limit, cursor: { id: before, param: "ending_before" }, isBackward: true };
  }
  const cursor = after === undefined ? undefined : ({ id: after, param: "starting_after" } as const);
  return { limit, cursor, isBackward: false };
}

/** A row of a list. */
export type RowPosition = { id: string; createdAt: Date };

/**
 * The rows next to a given row, in a list that is newest first: older ones, or newer ones on a page that is read
 * backward.
 * @param then sort key among rows of the same time
 */
export function beside(
  { isBackward }: Pick<Page, "isBackward">,
  table: { id: PgColumn; createdAt: PgColumn },
  then: PgColumn,
  place: RowPosition,
): SQL[] {
  const row = sql`select ${table.createdAt}, ${then} from ${then.table} where ${table.id} = ${place.id}`;
  const moment = place.createdAt.getTime();
  // The coarse bound uses the index. It must not be too strict: JavaScript dates have milliseconds, the database's
  // more.
  return isBackward
    ? [gte(table.createdAt, new Date(moment - 1)), sql`(${table.createdAt}, ${then}) > (${row})`]
    : [lte(table.createdAt, new Date(moment + 1)), sql`(${table.createdAt}, ${then}) < (${row})`];
}

/** The order in which a page is read: away from its cursor. */
export const orderByPage = ({ isBackward }: Pick<Page, "isBackward">, ...columns: PgColumn[]): SQL[] =>
  columns.map(isBackward ? asc : desc);

/** A page of rows in reading order, of which there is one more than requested. */
export function showPage<Row, Shown>(
  rows: Row[],
  { limit, isBackward }: Page,
  show: (row: Row) => Shown,
  url: URL,
): { object: "list"; data: Shown[]; has_more: boolean; url: string } {
  const data = rows.slice(0, limit).map(show);
  return {
    object: "list",
    data: isBackward ? data.reverse() : data,
    has_more: rows.length > limit,
    url: url.pathname,
  };
}
