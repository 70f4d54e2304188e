// Leases of rows, based on the database's clock.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Whether the row is not claimed, or its lease has expired.
 * @param leasedUntil the end of the lease; null if there is none
 */
export const isLeaseOver = (leasedUntil: SQLWrapper): SQL =>
  sql`(${leasedUntil} is null or ${leasedUntil} <= clock_timestamp())`;
