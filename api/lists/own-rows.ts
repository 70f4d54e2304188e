// Retrieves rows of a merchant and a mode by id, or lists them newest first.
import { and, eq, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { forbidden, noSuch } from "#core/errors.ts";
import type { Call } from "../http/request-context.ts";
import { orderByPage, type PageQuery, parsePage, rowsAfter, showPage } from "./page.ts";

type OwnedTable = PgTable & Record<"id" | "merchantId" | "mode" | "createdAt", PgColumn>;
type OwnedRow = { id: string; merchantId: string | null; mode: string | null; createdAt: Date };

/** A kind of resource, by its public name. */
export type Owned<Row extends OwnedRow = OwnedRow> = {
  name: string;
  table: OwnedTable & { $inferSelect: Row };
  /** The sort key of rows that were created at the same time. Default: the id. */
  tieBreak?: PgColumn;
};

/** @throws ServiceError 404 if the row does not exist, 403 if it belongs to another merchant or the other mode */
export async function findOwn<Row extends OwnedRow>(
  reader: Database | Transaction,
  { name, table }: Owned<Row>,
  caller: Caller,
  { id, param, locked = false }: { id: string; param: string; locked?: boolean },
): Promise<Row> {
  const found = reader
    .select()
    .from(table as PgTable)
    .where(eq(table.id, id));
  const [row] = (await (locked ? found.for("update") : found)) as Row[];
  if (!row) throw noSuch(name, id, param);
  if (row.merchantId !== caller.merchantId || row.mode !== caller.mode) {
    throw forbidden(`This ${name} belongs to another account or mode.`);
  }
  return row;
}

/** Reads one page of rows. The caller requests one more row than it shows, to determine whether more rows follow. */
export async function readOwn<Row extends OwnedRow>(
  database: Database,
  { table, tieBreak = table.id }: Owned<Row>,
  { merchantId, mode }: Caller,
  where: readonly SQL[],
  { limit, isBackward, place }: { limit: number; isBackward: boolean; place?: Row | undefined },
): Promise<Row[]> {
  const rows = await database
    .select()
    .from(table as PgTable)
    .where(
      and(
        eq(table.merchantId, merchantId),
        eq(table.mode, mode),
        ...where,
        ...(place ? rowsAfter({ isBackward }, table, tieBreak, place) : []),
      ),
    )
    .orderBy(...orderByPage({ isBackward }, table.createdAt, tieBreak))
    .limit(limit);
  return rows as Row[];
}

/** Returns a page of the caller's own rows that match the filters. */
export async function listOwn<Row extends OwnedRow, Shown>(
  database: Database,
  owned: Owned<Row>,
  { caller, url }: Call,
  { query, where = [], show }: { query: PageQuery; where?: readonly SQL[]; show: (row: Row) => Shown },
) {
  const page = parsePage(query);
  const { cursor, isBackward, limit } = page;
  const place = cursor && (await findOwn(database, owned, caller, cursor));
  const rows = await readOwn(database, owned, caller, where, { limit: limit + 1, isBackward, place });
  return showPage(rows, page, show, url);
}
