// Records whether an account responds: new payments and payouts prefer accounts that do. Nothing else depends on this,
// so the last write wins.
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { offRampAccount } from "#core/db/schema/off-ramp.ts";
import type { Problems } from "../runtime/problems.ts";

/** Number of consecutive failures after which an account counts as unresponsive. */
const FAILURES = 3;

/** Returns a function that passes an account's response through, and records whether there was one. */
export function createHealthRecord(database: Database, problems: Problems) {
  const failures = new Map<string, number>();
  const failing = new Map<string, boolean>();

  async function record(account: string, isFailing: boolean): Promise<void> {
    if (failing.get(account) === isFailing) return;
    failing.set(account, isFailing);
    const failingSince = isFailing ? sql`clock_timestamp()` : null;
    await database
      .insert(offRampAccount)
      .values({ account, failingSince })
      .onConflictDoUpdate({ target: offRampAccount.account, set: { failingSince } });
  }

  return async <T>(account: string, answer: Promise<T>): Promise<T> => {
    const note = (isFailing: boolean) =>
      record(account, isFailing).catch((error: unknown) => {
        failing.delete(account);
        problems.report(`health of ${account}`, error);
      });
    try {
      const value = await answer;
      failures.set(account, 0);
      await note(false);
      return value;
    } catch (error) {
      failures.set(account, (failures.get(account) ?? 0) + 1);
      if ((failures.get(account) ?? 0) >= FAILURES) await note(true);
      throw error;
    }
  };
}
