// Stores the results of payouts, batching those that arrive together into one statement.
import { together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { isDatabaseAway } from "#core/db/errors.ts";
import type { PayoutState } from "#core/db/schema/payouts.ts";
import { asError } from "../runtime/as-error.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";

/** When a payout is due again: at a given time, but not before a number of milliseconds has passed; or never. */
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
  /** Whether its funds stay allocated, and whether the provider awaits them. By default this does not change. */
  allocated?: boolean;
  awaitsFunds?: boolean;
  /** Why no call may be made for it; by default nothing blocks it. */
  blocked?: string;
};

type Written = { row: ClaimedPayout; to: PayoutChange };

const toJson = (changes: readonly Written[]): string =>
  JSON.stringify(
    changes.map(({ row, to: { next, blocked = null, allocated = null, awaitsFunds = null, ...to } }) => {
      const { id, leasedUntil: held, state: was } = row;
      const { state, providerId, failure, fee, completedAt, finalAt, refunded, ...rest } = { ...row, ...to };
      const nextPoll = { at: next?.at ?? null, inMs: next?.inMs ?? null };
      return {
        id,
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

/**
 * Returns a function that updates a claimed payout if the lease is still held.
 * @returns its new state; undefined if the lease was lost
 */
export function createPayoutWriter(
  database: Database,
): (change: Written) => Promise<PayoutState | undefined> {
  async function write(changes: readonly Written[]): Promise<(PayoutState | undefined)[]> {
    const { rows } = await database.$client.query<{ id: string; state: PayoutState }>({
      name: "write_payouts",
      text: `
      update gateway.payout p set
        state = k.state, provider_id = k."providerId", failure = k.failure, fee = k.fee,
        completed_at = k."completedAt", final_at = k."finalAt", blocked = k.blocked, refunded = k.refunded,
        declined_calls = k."declinedCalls", spent_call = k."spentCall",
        gas = k.gas, delivered_amount = k."deliveredAmount", delivered_currency = k."deliveredCurrency", rate = k.rate,
        leased_until = null, allocated = coalesce(k.allocated, p.allocated),
        awaits_funds = coalesce(k."awaitsFunds", p.awaits_funds),
        -- The provider has it although the record of its call was lost with the database's last seconds.
        called_at = coalesce(p.called_at, case when k."providerId" is not null then clock_timestamp() end),
        next_attempt_at = greatest(k.at, date_trunc('milliseconds', clock_timestamp() + k."inMs" * interval '1 ms')),
        -- The last poll is a change as well: the money has not come back until the window's end.
        updated_at = case when k.at is null and k."inMs" is null then greatest(clock_timestamp(), k."finalAt")
          when k.state = k.was then p.updated_at else clock_timestamp() end,
        -- Another fee or delivered amount is to be posted.
        posted_state = case when k.fee = p.fee and k.gas = p.gas
          and k."deliveredAmount" is not distinct from p.delivered_amount then p.posted_state end
      from json_to_recordset($1) as k (
        id text, held timestamptz, was text, state text, "providerId" text, failure text, fee numeric,
        "completedAt" timestamptz, "finalAt" timestamptz, "declinedCalls" int, "spentCall" int, refunded boolean, gas numeric, "deliveredAmount" numeric, "deliveredCurrency" text, rate text, blocked text, allocated boolean, "awaitsFunds" boolean, at timestamptz, "inMs" float8)
      where p.id = k.id and p.state = k.was and p.leased_until = k.held
      returning p.id, p.state`,
      values: [toJson(changes)],
    });
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    return changes.map(({ row }) => states.get(row.id));
  }

  // A provider may report values that cannot be stored; they must not prevent the others from being stored.
  const each = (changes: readonly Written[]) =>
    Promise.all(changes.map((one) => write([one]).then(([state]) => state, asError)));

  return together((changes) =>
    write(changes).catch((error: unknown) => {
      if (changes.length === 1 || isDatabaseAway(error)) throw error;
      return each(changes);
    }),
  );
}
