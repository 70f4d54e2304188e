// The conditions of SQL statements on an order's status. The numbers are part of the statement's text, so that they do not
// become parameters of prepared statements.
import { type Column, type SQL, sql } from "drizzle-orm";
import { ORDER_STATUSES, type OrderStatus } from "../chain/terms.ts";

/** @param status the order's status, of the table or an alias of it */
export function hasStatus(status: Column, ...names: readonly OrderStatus[]): SQL {
  const numbers = names.map((name) => ORDER_STATUSES.indexOf(name)).join(", ");
  return sql`${status} in (${sql.raw(numbers)})`;
}
