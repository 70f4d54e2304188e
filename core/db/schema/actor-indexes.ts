// Indexes by which the audit log is searched for an actor, in both tables of its entries. Without them, a search for an
// actor without entries reads every entry of the merchant.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type IndexBuilder, index, type PgColumn } from "drizzle-orm/pg-core";
import type { ActorType } from "../../model/actors.ts";

/** A hash is shorter than an id or an address. The query compares the actor as well. */
export const hashActor = (actor: SQLWrapper | string): SQL => sql`hashtextextended(${actor}, 0)`;

type Columns = Record<"merchantId" | "mode" | "actor" | "actorType" | "createdAt" | "position", PgColumn>;

/**
 * @param table the table's name, with which the indexes' names begin
 * @param common types of which almost every payment has entries in the table: a search for one of them finds a page
 *   among the newest entries, and its entries would be the most of an index
 */
export const actorIndexes = (table: string, t: Columns, common: ActorType[]): IndexBuilder[] => [
  index(`${table}_actor`)
    .on(t.merchantId, t.mode, hashActor(t.actor), t.createdAt, t.position)
    .where(sql`${t.actor} is not null`),
  index(`${table}_actor_type`)
    .on(t.merchantId, t.mode, t.actorType, t.createdAt, t.position)
    .where(sql`${t.actorType} not in ${sql.raw(`('${common.join("', '")}')`)}`),
];
