// Operators' settings for every replica: kill switches and limits. Every change is recorded in the audit log.
import { asc } from "drizzle-orm";
import { byOperations, recordAudit } from "#core/audit/record-audit.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { control } from "#core/db/schema/operations.ts";
import { LIMITS, type LimitName, SWITCHES, type SwitchName } from "#core/model/control-names.ts";
import { readLimits, writeControl } from "#settlement/payouts/read-controls.ts";
import { UsageError } from "../../shared/errors.ts";
import { requireName } from "../shared/require-name.ts";
import type { Controlled } from "./approve.ts";

function oneOf<Name extends string>(names: readonly Name[], name: string, what: string): Name {
  const found = names.find((known) => known === name);
  if (!found) throw new UsageError(`Unknown ${what} '${name}'. Use one of ${names.join(", ")}.`);
  return found;
}

type Change = { action: string; resourceId: string; to?: string; metadata?: Record<string, string> };
const audit = (tx: Transaction, by: string, change: Change) =>
  recordAudit(tx, [{ ...byOperations(by), ...change }]);

/**
 * Turns a switch off or on. One person is enough for both.
 * @param reason why the switch is turned off; undefined turns it on
 */
export async function turn(
  database: Database,
  name: string,
  reason: string | undefined,
  by: string,
): Promise<void> {
  const known: SwitchName = oneOf(SWITCHES, name, "switch");
  requireName(by);
  if (reason !== undefined && !/\S/.test(reason)) throw new UsageError("--reason must explain why.");
  await database.transaction(async (tx) => {
    await writeControl(tx, known, reason, by);
    const stopped = reason !== undefined && { metadata: { reason: reason.trim() } };
    await audit(tx, by, {
      ...{ action: stopped ? "control.stopped" : "control.resumed", resourceId: known },
      ...(stopped || {}),
    });
  });
}

/** Always requires a second person, because the amount that a limit allows is unknown. */
export const setLimit: Controlled = {
  async describe({ database }, { subject }) {
    const limits = await readLimits(database);
    return { from: limits[oneOf(LIMITS, subject, "limit")]?.toString() ?? "none" };
  },

  async weigh(_, { subject, arguments: { amount = "" } }) {
    oneOf(LIMITS, subject, "limit");
    if (!/^(\d{1,30}|default)$/.test(amount)) {
      throw new UsageError("--amount must be a number of whole currency units, or 'default'.");
    }
    return null;
  },

  async carryOut({ database }, { subject, arguments: { amount = "" }, by }, finish) {
    const name: LimitName = oneOf(LIMITS, subject, "limit");
    await database.transaction(async (tx) => {
      await writeControl(tx, name, amount === "default" ? undefined : amount, by);
      await audit(tx, by, { action: "control.limited", resourceId: name, to: amount });
      await finish(tx);
    });
  },
};

/** Returns the current state of every switch and limit. */
export async function listControls(database: Database) {
  const rows = await database.select().from(control).orderBy(asc(control.name));
  const set = new Map(rows.map((row) => [row.name, row]));
  const limits = await readLimits(database);
  const show = (name: (typeof rows)[number]["name"], value: string) => ({
    ...{
      name,
      value,
      by: set.get(name)?.changedBy ?? "",
      since: set.get(name)?.changedAt.toISOString() ?? "",
    },
  });
  return [
    ...SWITCHES.map((name) => show(name, set.has(name) ? `off: ${set.get(name)?.value}` : "on")),
    ...LIMITS.map((name) => show(name, limits[name]?.toString() ?? "none")),
  ];
}
