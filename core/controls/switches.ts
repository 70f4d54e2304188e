// Kill switches that stop one kind of work on every replica (docs/runbook.md, "Switches and limits").
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { control } from "../db/schema/operations.ts";
import type { SwitchName } from "../model/control-names.ts";
import { rememberFor } from "../remember.ts";

/** Maximum cache age: every replica reacts within this time. */
const FRESH_MS = 1_000;

export type Switches = {
  /** @throws if the database does not respond; in that case, no work starts either */
  isOff(name: SwitchName): Promise<boolean>;
};

/** Creates switches for workers that read them often. At most one query per second is executed. */
export function createSwitches(database: Pick<Database, "select">): Switches {
  const readOff = rememberFor(FRESH_MS, async () => {
    const rows = await database.select({ name: control.name }).from(control);
    return new Set<string>(rows.map(({ name }) => name));
  });
  return { isOff: async (name) => (await readOff()).has(name) };
}

/** Reads the current state without the cache, for use in a transaction. */
export async function isSwitchedOff(database: Pick<Database, "select">, name: SwitchName): Promise<boolean> {
  const rows = await database.select({ name: control.name }).from(control).where(eq(control.name, name));
  return rows.length > 0;
}
