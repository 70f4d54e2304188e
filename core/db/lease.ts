// Leases of rows, by the database's clock.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether no worker has claimed the row, or its lease has expired. @param leasedUntil the end of the lease, null without one */
export const isLeaseOver = (leasedUntil: SQLWrapper): SQL =>
  sql`(${leasedUntil} is null or ${leasedUntil} <= clock_timestamp())`;
