// Limits the amount that is ordered within an hour, per merchant and per provider account. A payout beyond a limit
// waits for approval (npm run ops -- allow). A payout counts once, no matter how often its order is retried.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { rememberFor } from "#core/remember.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import { inUnits, readLimits } from "./read-controls.ts";

const FRESH_MS = 1_000;

/** The reason that is stored with a waiting payout. */
export const HELD =
  "The hourly limit is reached. To approve the payout, run: npm run ops -- allow PAYOUT_ID --by NAME";

/** Whether the payout waits for approval, even if the limits would admit it by now. */
export const isHeld = ({ heldSince, approvedBy }: Pick<ClaimedPayout, "heldSince" | "approvedBy">): boolean =>
  heldSince !== null && approvedBy === null;

/** Returns a function that decides whether a payout may be ordered now, and counts it if so. */
export function createAdmission(database: Database): (row: ClaimedPayout) => Promise<boolean> {
  const limits = rememberFor(FRESH_MS, () => readLimits(database));

  return async ({ id, merchantId, account, currency, amount, admittedAt, approvedBy }) => {
    if (admittedAt !== null) return true;
    const { merchant_hour: ofMerchant, account_hour: ofAccount } = await limits();
    if (ofMerchant === undefined && ofAccount === undefined) return true;
    return database.transaction(async (tx) => {
      // Serialized across replicas, so that each replica sees what the others have counted.
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.admit_payouts', 0))`);
      const isCounted = sql`${payout.currency} = ${currency} and ${payout.admittedAt} > clock_timestamp() - interval '1 hour'`;
      const { rows } = await tx.execute<{ merchant: string; account: string }>(sql`
        select
          (select coalesce(sum(${payout.amount}), 0) from ${payout}
            where ${eq(payout.merchantId, merchantId)} and ${isCounted})::text as merchant,
          (select coalesce(sum(${payout.amount}), 0) from ${payout}
            where ${payout.account} = ${account} and ${isCounted})::text as account`);
      const [ordered] = rows;
      const exceeds = (limit: bigint | undefined, sum: string | undefined) =>
        limit !== undefined && BigInt(sum ?? 0) + amount > inUnits(limit, currency);
      const isTooMuch = exceeds(ofMerchant, ordered?.merchant) || exceeds(ofAccount, ordered?.account);
      const isAdmitted = approvedBy !== null || !isTooMuch;
      const now = sql`clock_timestamp()`;
      await tx
        .update(payout)
        .set(isAdmitted ? { admittedAt: now } : { heldSince: now })
        .where(and(eq(payout.id, id), eq(payout.merchantId, merchantId)));
      return isAdmitted;
    });
  };
}
