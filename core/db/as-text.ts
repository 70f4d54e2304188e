// Identifiers in SQL that drizzle does not map: in JSON, in arrays, and in the rows of a statement that is not built of
// typed columns. The tables store them as bytes (core/db/schema/columns.ts).
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { findField } from "../chain/pack-terms.ts";
import type { IdPrefix, IntentId } from "../ids.ts";

/** An order's id, a hash or an address in bytes, as `0x…`. */
export const hexText = (bytes: SQLWrapper): SQL<Hex> => sql<Hex>`('0x' || encode(${bytes}, 'hex'))`;

/** The bytes of a field in packed terms (core/chain/pack-terms.ts). */
function termsField(terms: SQLWrapper, name: Parameters<typeof findField>[0]) {
  const { start, length } = findField(name);
  const bytes = sql`substring(${terms} from ${sql.raw(String(start + 1))} for ${sql.raw(String(length))})`;
  return { bytes, length };
}

/** An address in packed terms, in lower case. */
export const termsAddress = (terms: SQLWrapper, name: "token" | "offRamp"): SQL<Hex> =>
  hexText(termsField(terms, name).bytes);

/** A time in packed terms, in Unix seconds. */
export function termsTime(terms: SQLWrapper, name: "fundingDeadline"): SQL<number> {
  const { bytes, length } = termsField(terms, name);
  return sql<number>`('x' || encode(${bytes}, 'hex'))::bit(${sql.raw(String(length * 8))})::bigint`;
}

export const intentIdText = (bytes: SQLWrapper): SQL<IntentId> =>
  sql<IntentId>`('intent_' || encode(${bytes}, 'hex'))`;

export const merchantIdText = (bytes: SQLWrapper): SQL<string> =>
  sql<string>`('merchant_' || encode(${bytes}, 'hex'))`;

export const idText = (prefix: IdPrefix, uuid: SQLWrapper): SQL<string> =>
  sql<string>`(${sql.raw(`'${prefix}_'`)} || replace(${uuid}::text, '-', ''))`;
