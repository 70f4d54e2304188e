// Claims payouts that are due and not claimed. The lease is committed before a provider is called.
import { and, eq, lte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";
import { type Address, getAddress } from "viem";
import { SETTLE_EXTERNALLY } from "#core/controls/operations.ts";
import { idText, termsAddress } from "#core/db/as-text.ts";
import type { Database } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { type OffRampAccountState, offRampAccount, offRampWallet } from "#core/db/schema/off-ramp.ts";
import { operation } from "#core/db/schema/operations.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import { dueAt } from "#core/payouts/due-now.ts";
import { listOffRamps } from "../off-ramp/accounts.ts";
import type { OffRamps } from "../off-ramp/off-ramp.ts";
import { createAccountChoice } from "./choose-accounts.ts";
import { RETURNED_TO } from "./wallets.ts";

/** The facts about a claimed payout that a worker needs. */
const CLAIMED = {
  id: payout.id,
  state: payout.state,
  reference: payout.reference,
  providerId: payout.providerId,
  account: payout.account,
  method: payout.method,
  destination: payout.destination,
  amount: payout.amount,
  currency: payout.currency,
  fee: payout.fee,
  attempt: payout.attempt,
  merchantId: payout.merchantId,
  refunded: payout.refunded,
  gas: payout.gas,
  deliveredAmount: payout.deliveredAmount,
  deliveredCurrency: payout.deliveredCurrency,
  rate: payout.rate,
  admittedAt: payout.admittedAt,
  heldSince: payout.heldSince,
  approvedBy: payout.approvedBy,
  failure: payout.failure,
  declinedCalls: payout.declinedCalls,
  spentCall: payout.spentCall,
  createdAt: payout.createdAt,
  completedAt: payout.completedAt,
  finalAt: payout.finalAt,
  /** Identifies the lease. It has millisecond precision, so that it survives a round trip and can be compared. */
  leasedUntil: sql<Date>`${payout.leasedUntil}`.mapWith(payout.leasedUntil),
  intentId: payout.intentId,
  settlementNumber: payout.settlementNumber,
  part: payout.part,
  settledAt: payout.settledAt,
  deploymentId: intent.deploymentId,
  token: termsAddress(intent.terms, "token").mapWith(getAddress),
  settledTo: termsAddress(intent.terms, "offRamp").mapWith(getAddress),
  /** The wallet to which the funds of an earlier attempt return, if the payout has no wallet yet. */
  returnedTo: RETURNED_TO,
  /** The provider's id of the wallet that pays the payout; null if the account does not pay from a wallet. */
  wallet: payout.wallet,
  /** The address of that wallet. */
  walletAddress: sql<Address | null>`(select ${offRampWallet.address} from ${offRampWallet}
    where ${offRampWallet.account} = ${payout.account} and ${offRampWallet.walletId} = ${payout.wallet})`,
  calledAt: payout.calledAt,
  allocated: payout.allocated,
  awaitsFunds: payout.awaitsFunds,
  accountState: sql<OffRampAccountState | null>`(select ${offRampAccount.state} from ${offRampAccount} where ${offRampAccount.account} = ${payout.account})`,
  /** The owner of the destination account. */
  beneficiary: merchant.name,
};

export type ClaimedPayout = SelectResultFields<typeof CLAIMED>;

/** Returns the wallet that received a payout's funds: from the settlement, or from an earlier attempt that was returned. */
export const fundedAt = ({ returnedTo, settledTo }: ClaimedPayout): Address => returnedTo ?? settledTo;

const p = alias(payout, "p");
const names = columnNames(payout);

/**
 * Creates the claim. It also binds payouts to accounts before a provider is called: retries, and payouts that could not
 * be bound when they were planned. A payout stays unbound while no account is usable.
 * @param leaseMs how long no other worker can claim the payouts
 * @returns a function that claims those of the given payouts that can be claimed
 */
export function createPayoutClaim(database: Database, offRamps: OffRamps, leaseMs: number) {
  const choose = createAccountChoice(offRamps);
  const withWallets = new Set(
    listOffRamps(offRamps).flatMap(({ account, hasWallets }) => (hasWallets ? account : [])),
  );
  /** Whether the payout's account, or the wallet from which the account pays, is not chosen yet. */
  const isUnbound = ({ account, wallet }: ClaimedPayout): boolean =>
    account === null || (wallet === null && withWallets.has(account));
  const query = database
    .update(payout)
    .set({ leasedUntil: sql`date_trunc('milliseconds', clock_timestamp() + ${leaseMs} * interval '1 ms')` })
    .from(intent)
    .innerJoin(merchant, eq(merchant.id, intent.merchantId))
    .where(
      and(
        isAmong(payout.id, sql.placeholder("ids")),
        eq(intent.id, payout.intentId),
        lte(dueAt, sql`statement_timestamp()`),
        // If an operator reports that they paid a payout outside the gateway, it is not paid while a second person
        // decides about it.
        sql`not exists (select from ${operation} where ${operation.subject} = ${idText("payout", payout.id)}
          and ${operation.action} = ${SETTLE_EXTERNALLY} and ${operation.outcome} is null)`,
      ),
    )
    .returning(CLAIMED)
    .prepare("claim_payouts");

  /** @returns the rows, with their choices unless another worker has claimed them in the meantime */
  async function bind(rows: readonly ClaimedPayout[]): Promise<ClaimedPayout[]> {
    const choices = await choose(
      database,
      rows.map((row) => ({ ...row, fundedAt: fundedAt(row) })),
    );
    const bound = rows.map(({ id, leasedUntil: held }) => ({ id, held, ...choices.get(id) }));
    const { rows: held } = await database.execute<{ id: string }>(sql`
      update ${payout} p set ${names.account} = k.account, ${names.wallet} = k.wallet
      from json_to_recordset(${JSON.stringify(bound.map(toStoredForm(payout)))}::json) as k (id uuid, held timestamptz, account text, wallet text)
      where ${p.id} = k.id and ${p.leasedUntil} = k.held and k.account is not null returning ${idText("payout", p.id)} as id`);
    const ids = new Set(held.map(({ id }) => id));
    return rows.map((row) => {
      const choice = ids.has(row.id) ? choices.get(row.id) : undefined;
      if (!choice) return row;
      return { ...row, ...choice, accountState: row.account === null ? "active" : row.accountState };
    });
  }

  return async (ids: string[]): Promise<ClaimedPayout[]> => {
    const rows = await query.execute({ ids });
    const unbound = rows.filter(isUnbound);
    if (unbound.length === 0) return rows;
    return [...rows.filter((row) => !isUnbound(row)), ...(await bind(unbound))];
  };
}
