// Switches that stop one kind of work on every replica (docs/runbook.md, "Stopping money").
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { control } from "../db/schema/operations.ts";
import { rememberFor } from "../remember.ts";
import type { SwitchName } from "./names.ts";

/** How old an answer may be: a replica obeys within this time. */
const FRESH_MS = 1_000;

export type Switches = {
  /** @throws what keeps the database from answering: then nothing is begun either */
  isOff(name: SwitchName): Promise<boolean>;
};

/** For workers that ask often: one reading a second. */
export function createSwitches(database: Pick<Database, "select">): Switches {
  const readOff = rememberFor(FRESH_MS, async () => {
    const rows = await database.select({ name: control.name }).from(control);
    return new Set<string>(rows.map(({ name }) => name));
  });
  return { isOff: async (name) => (await readOff()).has(name) };
}

/** As it is at this moment, for what happens in a transaction. */
export async function isSwitchedOff(database: Pick<Database, "select">, name: SwitchName): Promise<boolean> {
  const rows = await database.select({ name: control.name }).from(control).where(eq(control.name, name));
  return rows.length > 0;
}
