// Reads and writes the operators' settings. Every replica reads them from the database, so a change applies to all
// replicas.
import { sql } from "drizzle-orm";
import type { Database, Transaction } from "#core/db/client.ts";
import { control } from "#core/db/schema/operations.ts";
import type { LimitName } from "#core/model/control-names.ts";
import { type Currency, decimalsOf } from "#core/money.ts";

/** Default limits, in full currency units. A limit that is absent does not apply. */
const DEFAULTS: Partial<Record<LimitName, bigint>> = { approval: 1_000n };

type Limits = Partial<Record<LimitName, bigint>>;

/** Returns the limits in force, in full currency units. */
export async function readLimits(database: Pick<Database | Transaction, "select">): Promise<Limits> {
  const rows = await database.select({ name: control.name, value: control.value }).from(control);
  const set = rows.filter(({ value }) => /^\d+$/.test(value)).map(({ name, value }) => [name, BigInt(value)]);
  return { ...DEFAULTS, ...(Object.fromEntries(set) as Limits) };
}

/** Converts a limit to the smallest unit of a currency. */
export const inUnits = (limit: bigint, currency: Currency): bigint =>
  limit * 10n ** BigInt(decimalsOf(currency));

/** Sets a limit or switches work off; undefined removes the limit or switches work back on. */
export async function writeControl(
  tx: Pick<Transaction, "insert" | "delete">,
  name: typeof control.$inferSelect.name,
  value: string | undefined,
  changedBy: string,
): Promise<void> {
  if (value === undefined) {
    await tx.delete(control).where(sql`${control.name} = ${name}`);
    return;
  }
  const row = { name, value, changedBy, changedAt: sql`clock_timestamp()` };
  await tx.insert(control).values(row).onConflictDoUpdate({ target: control.name, set: row });
}
