// Finds the merchant that a command names.
import type { Database } from "#core/db/client.ts";
import { UsageError } from "../../shared/errors.ts";
import { listMerchants, type Merchant } from "../../shared/merchants.ts";

/**
 * @param named an id or a name; optional if there is only one merchant
 * @throws UsageError if no merchant matches, or if `named` is missing and there are several merchants
 */
export async function findMerchant(database: Database, named: string | undefined): Promise<Merchant> {
  const all = await listMerchants(database);
  const found = named === undefined ? all : all.filter(({ id, name }) => id === named || name === named);
  const [only] = found;
  if (only && found.length === 1) return only;
  const known = all.map(({ name }) => name).join(", ") || "none yet: npm run keys -- merchants create";
  const problem = named === undefined ? "--merchant is required" : `No such merchant: '${named}'`;
  throw new UsageError(`${problem}. Merchants: ${known}.`);
}
