// Common to all lists: page size, cursor, time range and metadata filter.
import { asc, desc, eq, gte, lt, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { TWO_CURSORS } from "./documented-errors.ts";

/** Converts `created[gte]` and `created[lte]` to conditions on a column. */
export function createdIn(
  column: PgColumn,
  { gte: from, lte: to }: { gte?: number; lte?: number } = {},
): SQL[] {
  return [
    ...(from === undefined ? [] : [gte(column, new Date(from * 1000))]),
    // The API has a resolution of seconds, so the range includes the full last second.
    ...(to === undefined ? [] : [lt(column, new Date((to + 1) * 1000))]),
  ];
}

/** JSON literals. `007` is not a number in JSON. */
const LITERAL = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?)$/;

/**
 * Converts `metadata[key]` to conditions on a JSON column. Query values are always text, while the metadata may
 * contain the corresponding number, boolean or null.
 */
export function metadataIn(column: SQLWrapper, metadata: Record<string, string> = {}): SQL[] {
  const conditions = Object.entries(metadata).map(([key, text]) => {
    const has = (value: unknown) => sql`(${column}) @> ${JSON.stringify({ [key]: value })}::jsonb`;
    return LITERAL.test(text) ? sql`(${has(text)} or ${has(JSON.parse(text))})` : has(text);
  });
  // The partial index only contains rows with metadata.
  return conditions.length === 0 ? [] : [sql`(${column}) <> '{}'`, ...conditions];
}

/** The query of every list. */
export type PageQuery = { limit?: number; starting_after?: string; ending_before?: string };

/** The requested part of a list. */
export type Page = {
  limit: number;
  /** The id of the row at the cursor, and the parameter that contains the id. */
  cursor: { id: string; param: "starting_after" | "ending_before" } | undefined;
  /** Whether to read from the cursor toward newer rows. */
  isBackward: boolean;
};

/** @throws ServiceError 400 for two cursors */
export function parsePage({ limit = 10, starting_after: after, ending_before: before }: PageQuery): Page {
  if (after !== undefined && before !== undefined) throw TWO_CURSORS;
  if (before !== undefined) {
    return { limit, cursor: { id: before, param: "ending_before" }, isBackward: true };
  }
  const cursor = after === undefined ? undefined : ({ id: after, param: "starting_after" } as const);
  return { limit, cursor, isBackward: false };
}

/** The position of a row in a list. */
export type RowPosition = { id: string; createdAt: Date };

/**
 * Returns the conditions for the rows that follow a given row in a list that is sorted newest first: older rows,
 * or newer rows if the page is read backward.
 * @param then the sort key of rows that were created at the same time
 * @param from the columns of the table that contains the given row, if it is another table
 */
export function rowsAfter(
  { isBackward }: Pick<Page, "isBackward">,
  table: { id: PgColumn; createdAt: PgColumn },
  then: PgColumn,
  place: RowPosition,
  from = { id: table.id, createdAt: table.createdAt, tieBreak: then },
): SQL[] {
  const row = sql`select ${from.createdAt}, ${from.tieBreak} from ${from.tieBreak.table} where ${eq(from.id, place.id)}`;
  const moment = place.createdAt.getTime();
  // The coarse bound uses the index. It must include one more millisecond, because JavaScript dates are less
  // precise than those of the database.
  return isBackward
    ? [gte(table.createdAt, new Date(moment - 1)), sql`(${table.createdAt}, ${then}) > (${row})`]
    : [lte(table.createdAt, new Date(moment + 1)), sql`(${table.createdAt}, ${then}) < (${row})`];
}

/** Returns the order in which a page is read, starting at its cursor. */
export const orderByPage = ({ isBackward }: Pick<Page, "isBackward">, ...columns: PgColumn[]): SQL[] =>
  columns.map(isBackward ? asc : desc);

/** @param rows in reading order, with one more row than requested if more rows follow */
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
