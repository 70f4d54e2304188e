// Payouts: fiat transfers to merchants.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import type { SettlementMethod } from "../../model/settlement-method.ts";
import type { Currency } from "../../money.ts";
import { hex, idColumn, intentId, merchantKey, moment, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";

/**
 * `created`: stored, possibly known to the provider. `submitted`: accepted by the provider.
 * `completed`: paid. `failed`, `returned`: the provider reports that no money arrived.
 * `quarantined`: the provider's response was ambiguous; a query by reference resolves it.
 */
export type PayoutState = "created" | "submitted" | "completed" | "failed" | "returned" | "quarantined";

/**
 * A fiat transfer for one on-chain settlement, or for a part of it. Each milestone is paid out separately, even if
 * several were settled together. Attempt n+1 exists only after attempt n has failed or was returned.
 */
export const payout = gatewaySchema.table(
  "payout",
  {
    id: idColumn("payout").notNull(),
    /**
     * Derived from chain, genesis, contract, order, settlement, part and attempt. It is the idempotency key of the first
     * call at the provider; each later call has a key of its own (`declinedCalls`).
     */
    reference: text().notNull(),
    intentId: intentId().notNull(),
    /** The number of the on-chain settlement within the order. The order's id has the bytes of the intent's id. */
    settlementNumber: integer().notNull(),
    /** The part of the settlement, starting at 0. */
    part: integer().notNull().default(0),
    settlementTxHash: hex().notNull(),
    /** The block of the settlement when the payout was planned. */
    settlementBlock: bigint({ mode: "number" }),
    /** The time of that block. */
    settledAt: moment().notNull(),
    /** The settlement's amount when the payout was planned. A deep reorg may change it. */
    settlementAmount: units().notNull(),
    attempt: integer().notNull(),
    method: text().$type<SettlementMethod>().notNull(),
    destination: text().notNull(),
    amount: units().notNull(),
    /** The part of the amount that the provider reports to have kept. The rest arrived. */
    fee: units().notNull().default(sql`0`),
    /** The part of the fee that covered network fees. */
    gas: units().notNull().default(sql`0`),
    /**
     * The amount that arrived, in the minor unit of its currency. Null if nothing has arrived or the provider does not
     * report it.
     */
    deliveredAmount: units(),
    /** ISO 4217 code. */
    deliveredCurrency: text(),
    /** The exchange rate that the provider reports: units of that currency for one unit of the token. */
    rate: text(),
    /** The fees of returned attempts that the merchant bears. The amount is reduced by them. */
    deducted: units().notNull().default(sql`0`),
    /** The fee of the previous attempt that the gateway bears. It is added to the returned funds. */
    covered: units().notNull().default(sql`0`),
    currency: text().$type<Currency>().notNull(),
    /**
     * The provider account of the payout, set before the first call (settlement/payouts/choose-accounts.ts). The payout
     * is ordered and queried only there. Null if no account could be chosen yet, in which case no provider has been
     * called.
     */
    account: text(),
    /** The provider's id of the wallet that pays the payout. It is set together with the account. */
    wallet: text(),
    /** The time just before the latest call that orders the payout. Null if it was never ordered. */
    calledAt: moment(),
    /**
     * Whether the amount is allocated from the wallet, because a call that orders the payout is about to be made or has
     * no outcome yet. No index contains this column: see `leasedUntil`.
     */
    allocated: boolean().notNull().default(false),
    /** Whether the provider has accepted the payout, but has not reported that it took the amount from the wallet. */
    awaitsFunds: boolean().notNull().default(false),
    /**
     * The number of calls that the provider has definitely refused without making a transfer. The next call has a new
     * idempotency key. A call whose outcome is unknown is repeated with its old key.
     */
    declinedCalls: integer().notNull().default(0),
    /** The call whose idempotency key the provider no longer responds to, although its list contains no transfer. */
    spentCall: integer(),
    /** Why no provider is called for the payout until an operator acts. Null if the payout is not blocked. */
    blocked: text(),
    /** The intent's values, for lists. The trigger function `set_payout_merchant` sets them. */
    merchantId: merchantKey().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
    state: text().$type<PayoutState>().notNull().default("created"),
    providerId: text(),
    failure: text(),
    /**
     * Whether the funds of a failed or returned payout are in the wallet again. Null if the provider does not report
     * it.
     */
    refunded: boolean(),
    /** Whether a later attempt exists. */
    retried: boolean().notNull().default(false),
    /**
     * When the payout was counted against the hourly limits (settlement/payouts/admit-payouts.ts). Null if no limit is
     * set, or while the payout waits for approval.
     */
    admittedAt: moment(),
    /** When the payout began to wait for approval, because an hourly limit was reached. */
    heldSince: moment(),
    /** Who approved the payout. */
    approvedBy: text(),
    /**
     * The reference under which operators paid this attempt from other funds. The state is then `completed`, and no
     * provider is ever called for it. Null if the provider makes the payout.
     */
    externalReference: text(),
    createdAt: now(),
    updatedAt: now(),
    completedAt: moment(),
    /** When the return window closes. */
    finalAt: moment(),
    /** When a worker may next claim the payout. Null if nothing is left to do. */
    nextAttemptAt: moment().default(sql`clock_timestamp()`),
    /**
     * The end of the lease of the worker that has claimed the payout. A lease lasts longer than any call to the
     * provider, so that no second worker calls the provider before the first call has ended. No index contains this
     * column, and the fillfactor is 50, so that a claim is a heap-only update.
     */
    leasedUntil: moment(),
    /** The state of the last emitted event. */
    emittedState: text().$type<PayoutState>(),
    /** The state that the ledger has posted. Until it is the payout's end, the payout is in `unposted_payout`. */
    postedState: text().$type<PayoutState>(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    uniqueIndex().on(t.reference, t.merchantId),
    uniqueIndex("payout_part_attempt").on(t.intentId, t.settlementNumber, t.part, t.attempt, t.merchantId),
    index().on(t.settlementBlock),
    index("payout_due").on(t.nextAttemptAt).where(sql`${t.nextAttemptAt} is not null`),
    // Payouts that changed since a reconciliation, and payouts that may have left a wallet recently.
    index().on(t.updatedAt),
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    // Payouts of a provider account since a given time, for reconciliation.
    index().on(t.account, t.createdAt),
    // Payouts that were ordered within the hour, if limits are set.
    index("payout_admitted_merchant").on(t.merchantId, t.admittedAt).where(sql`${t.admittedAt} is not null`),
    index("payout_admitted_account").on(t.account, t.admittedAt).where(sql`${t.admittedAt} is not null`),
    // Payouts whose funds are in a wallet or come back to it.
    index("payout_unretried").on(t.id).where(sql`${t.state} in ('failed', 'returned') and not ${t.retried}`),
    index("payout_waiting")
      .on(t.settledAt, t.id)
      .where(sql`${t.state} in ('created', 'quarantined') or ${t.awaitsFunds}`),
    check(
      "payout_funds_open",
      sql`(not ${t.allocated} or ${t.state} in ('created', 'quarantined'))
        and (not ${t.awaitsFunds} or ${t.state} in ('submitted', 'quarantined'))`,
    ),
    index("payout_failed").on(t.intentId).where(sql`${t.state} in ('failed', 'returned')`),
  ],
);

/**
 * The payouts whose end the ledger has yet to post (settlement/ledger/find-unposted.ts). The trigger `follow` of
 * migrations/0000_gateway.sql writes a row together with its payout, and only it may. With a partial index of `payout`
 * instead, `postedState` would be written to all of its indexes.
 */
export const unpostedPayout = gatewaySchema.table(
  "unposted_payout",
  {
    payoutId: idColumn("payout").notNull(),
    merchantId: merchantKey().notNull(),
    intentId: intentId().notNull(),
  },
  (t) => [primaryKey({ columns: [t.payoutId, t.merchantId] })],
);
