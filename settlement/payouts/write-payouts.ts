// Stores the results of payouts, batching those that arrive together into one statement. A trigger (`follow`)
// lists the payouts that have ended, for the ledger (ledger/find-unposted.ts).
import { and, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { isDatabaseUnavailable } from "#core/db/errors.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import { asError } from "../runtime/as-error.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";

/** When a payout is due again: at a given time, but not before a number of milliseconds has passed; null for never. */
export type NextPoll = { at?: Date; inMs: number } | null;

/** The provider's report of a delivered transfer. */
type Arrived = "gas" | "deliveredAmount" | "deliveredCurrency" | "rate";

export type PayoutChange = Partial<
  Pick<
    ClaimedPayout,
    | "state"
    | "providerId"
    | "failure"
    | "fee"
    | "completedAt"
    | "finalAt"
    | "declinedCalls"
    | "spentCall"
    | "refunded"
    | Arrived
  >
> & {
  next: NextPoll;
  /**
   * Whether the payout's funds stay allocated, and whether the provider has yet to take them. By default, both are
   * unchanged.
   */
  allocated?: boolean;
  awaitsFunds?: boolean;
  /** Why no call may be made for the payout; by default, nothing blocks it. */
  blocked?: string | undefined;
};

type Written = { row: ClaimedPayout; to: PayoutChange };

const toJson = (changes: readonly Written[]): string =>
  JSON.stringify(
    changes.map(({ row, to: { next, blocked = null, allocated = null, awaitsFunds = null, ...to } }) => {
      const { id, leasedUntil: held, state: was } = row;
      const { state, providerId, failure, fee, completedAt, finalAt, refunded, ...rest } = { ...row, ...to };
      const nextPoll = { at: next?.at ?? null, inMs: next?.inMs ?? null };
      return {
        id: payout.id.mapToDriverValue(id),
        held,
        was,
        state,
        providerId,
        failure,
        fee: fee.toString(),
        completedAt,
        finalAt,
        refunded,
        declinedCalls: rest.declinedCalls,
        spentCall: rest.spentCall,
        gas: rest.gas.toString(),
        deliveredAmount: rest.deliveredAmount?.toString() ?? null,
        deliveredCurrency: rest.deliveredCurrency,
        rate: rest.rate,
        blocked,
        allocated,
        awaitsFunds,
        ...nextPoll,
      };
    }),
  );

const CHANGES = sql`json_to_recordset(${sql.placeholder("changes")}) as k (id uuid, held timestamptz, was text, state text,
  "providerId" text, failure text, fee numeric, "completedAt" timestamptz, "finalAt" timestamptz, "declinedCalls" int,
  "spentCall" int, refunded boolean, gas numeric, "deliveredAmount" numeric, "deliveredCurrency" text, rate text,
  blocked text, allocated boolean, "awaitsFunds" boolean, at timestamptz, "inMs" float8)`;

/** The columns that the change `k` sets. */
const SET = {
  state: sql`k.state`,
  providerId: sql`k."providerId"`,
  failure: sql`k.failure`,
  fee: sql`k.fee`,
  completedAt: sql`k."completedAt"`,
  finalAt: sql`k."finalAt"`,
  blocked: sql`k.blocked`,
  refunded: sql`k.refunded`,
  declinedCalls: sql`k."declinedCalls"`,
  spentCall: sql`k."spentCall"`,
  gas: sql`k.gas`,
  deliveredAmount: sql`k."deliveredAmount"`,
  deliveredCurrency: sql`k."deliveredCurrency"`,
  rate: sql`k.rate`,
  leasedUntil: sql`null`,
  allocated: sql`coalesce(k.allocated, ${payout.allocated})`,
  awaitsFunds: sql`coalesce(k."awaitsFunds", ${payout.awaitsFunds})`,
  // A crash may have lost the record of the call with the database's last seconds, although the provider has the
  // transfer.
  calledAt: sql`coalesce(${payout.calledAt}, case when k."providerId" is not null then clock_timestamp() end)`,
  nextAttemptAt: sql`greatest(k.at, date_trunc('milliseconds', clock_timestamp() + k."inMs" * interval '1 ms'))`,
  // The last poll also counts as a change: it shows that the money was not returned before the end of the window.
  updatedAt: sql`case when k.at is null and k."inMs" is null then greatest(clock_timestamp(), k."finalAt")
    when k.state = k.was then ${payout.updatedAt} else clock_timestamp() end`,
  // A changed fee or delivered amount must be posted again.
  postedState: sql`case when k.fee = ${payout.fee} and k.gas = ${payout.gas}
    and k."deliveredAmount" is not distinct from ${payout.deliveredAmount} then ${payout.postedState} end`,
} satisfies PgUpdateSetSource<typeof payout>;

const prepareUpdate = (database: Database) =>
  database
    .update(payout)
    .set(SET)
    .from(CHANGES)
    .where(and(eq(payout.id, sql`k.id`), eq(payout.state, sql`k.was`), eq(payout.leasedUntil, sql`k.held`)))
    .returning({ id: payout.id, state: payout.state })
    .prepare("write_payouts");

/**
 * Returns a function that updates a claimed payout if its lease is still held.
 * @returns the payout's new state; undefined if the lease was lost
 */
export function createPayoutWriter(
  database: Database,
): (change: Written) => Promise<PayoutState | undefined> {
  const update = prepareUpdate(database);

  async function write(changes: readonly Written[]): Promise<(PayoutState | undefined)[]> {
    const rows = await update.execute({ changes: toJson(changes) });
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    return changes.map(({ row }) => states.get(row.id));
  }

  // A provider may report values that cannot be stored; they must not prevent the other changes from being stored.
  const each = (changes: readonly Written[]) =>
    Promise.all(changes.map((one) => write([one]).then(([state]) => state, asError)));

  return together((changes) =>
    write(changes).catch((error: unknown) => {
      if (changes.length === 1 || isDatabaseUnavailable(error)) throw error;
      return each(changes);
    }),
  );
}
