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
import type { IntentId } from "../../ids.ts";
import type { Mode } from "../../model/mode.ts";
import type { SettlementMethod } from "../../model/settlement-method.ts";
import type { Currency } from "../../money.ts";
import { hex, moment, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";

/**
 * `created`: stored, possibly known to the provider. `submitted`: accepted by the provider.
 * `completed`: paid. `failed`, `returned`: the provider reports that no money arrived.
 * `quarantined`: the provider's answer was ambiguous; a query by reference resolves it.
 */
export type PayoutState = "created" | "submitted" | "completed" | "failed" | "returned" | "quarantined";

/**
 * Fiat for one on-chain settlement, or for a part of it: each milestone is paid out by itself, also where several were
 * settled together. An attempt n+1 exists only after attempt n failed or was returned.
 */
export const payout = gatewaySchema.table(
  "payout",
  {
    id: text().notNull(),
    /** Names chain, genesis, contract, order, settlement and attempt; the idempotency key at the provider. */
    reference: text().notNull(),
    intentId: text().$type<IntentId>().notNull(),
    /** `chain.settlement.id`: which settlement of the order. */
    settlementId: text().notNull(),
    /** Which part of the settlement, from 0. The parts are planned together and add up to `settlement_amount`. */
    part: integer().notNull().default(0),
    settlementTxHash: hex().notNull(),
    /** The block of the settlement when the payout was planned. */
    settlementBlock: bigint({ mode: "number" }),
    /** The time of that block. */
    settledAt: moment().notNull(),
    /** The sum over the parts of the settlement. */
    settlementAmount: units().notNull(),
    attempt: integer().notNull(),
    method: text().$type<SettlementMethod>().notNull(),
    destination: text().notNull(),
    amount: units().notNull(),
    /** What the provider reports to have kept of the amount; the rest arrived. */
    fee: units().notNull().default(sql`0`),
    /** The part of the fee that paid for the network. */
    gas: units().notNull().default(sql`0`),
    /** What arrived, in the minor unit of its currency. Null: the provider does not say, or nothing has arrived. */
    deliveredAmount: units(),
    /** ISO 4217. */
    deliveredCurrency: text(),
    /** Units of that currency for one of the token's, as the provider reports it. */
    rate: text(),
    /** What providers kept of earlier attempts that came back, and the merchant bears: the amount is less by it. */
    deducted: units().notNull().default(sql`0`),
    /** What providers kept of the attempt before, and the gateway bears: it is added to what came back. */
    covered: units().notNull().default(sql`0`),
    currency: text().$type<Currency>().notNull(),
    /**
     * The provider account that it belongs to, from before its first call (settlement/payouts/choose-accounts.ts): it is
     * ordered and queried only there. Null: no account could be chosen yet, and no provider has been called.
     */
    account: text(),
    /** The provider's id of the account's wallet that pays it, bound together with the account. */
    wallet: text(),
    /** When the latest call that orders it was about to be made. Null: it was never ordered. */
    calledAt: moment(),
    /**
     * Its amount is allocated from its wallet, because a call that orders it is about to be made, or has no outcome yet.
     * No index contains it: see `leasedUntil`.
     */
    allocated: boolean().notNull().default(false),
    /** The provider has accepted it, and has not taken its amount from the wallet yet, as far as it reports. */
    awaitsFunds: boolean().notNull().default(false),
    /**
     * How many calls the provider has definitely refused without having made a transfer. The next call has an idempotency
     * key of its own; a call whose answer is unknown is repeated under its old one.
     */
    declinedCalls: integer().notNull().default(0),
    /** The call whose idempotency key the provider no longer answers, although its list has no transfer. */
    spentCall: integer(),
    /** Why no provider is called for it until an operator acts. Null: not blocked. */
    blocked: text(),
    /** The intent's, for lists; a trigger sets them. */
    merchantId: text().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
    state: text().$type<PayoutState>().notNull().default("created"),
    providerId: text(),
    failure: text(),
    /** Of one that failed or came back: whether its funds are in the wallet again. Null: the provider does not say. */
    refunded: boolean(),
    /** There is a later attempt. */
    retried: boolean().notNull().default(false),
    /** Counted against the limits of its hour (settlement/payouts/admit-payouts.ts). Null: none is set, or it waits. */
    admittedAt: moment(),
    /** Since when it waits for approval, because a limit of its hour was reached. */
    heldSince: moment(),
    /** Who has approved it. */
    approvedBy: text(),
    /**
     * Operations have paid this attempt from other funds, under this reference: no provider is ever called for it, and
     * its state is `completed`. Null: it is the provider's to make.
     */
    externalReference: text(),
    createdAt: now(),
    updatedAt: now(),
    completedAt: moment(),
    /** When the return window closes. */
    finalAt: moment(),
    /** When a worker is next allowed to claim it. Null: nothing is left to do. */
    nextAttemptAt: moment().default(sql`clock_timestamp()`),
    /**
     * The lease of the worker that has claimed it. It is longer than a call of the provider can last, so that no second
     * worker calls meanwhile, however the first one ends. No index contains it, and the fillfactor is 50: a claim is a
     * heap-only update.
     */
    leasedUntil: moment(),
    /** The state of the last emitted event. */
    emittedState: text().$type<PayoutState>(),
    /** The state that the ledger has posted. */
    postedState: text().$type<PayoutState>(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    uniqueIndex().on(t.reference, t.merchantId),
    uniqueIndex().on(t.intentId, t.settlementId, t.part, t.attempt, t.merchantId),
    index("payout_unposted")
      .on(t.intentId)
      .where(
        sql`${t.state} in ('completed', 'failed', 'returned') and ${t.postedState} is distinct from ${t.state}`,
      ),
    index().on(t.settlementBlock),
    index("payout_due").on(t.nextAttemptAt).where(sql`${t.nextAttemptAt} is not null`),
    // What changed since a reconciliation, and what may have left a wallet lately.
    index().on(t.updatedAt),
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    // The payouts of a provider account since a time, for reconciliation.
    index().on(t.account, t.createdAt),
    // What was ordered within the hour, where limits are set.
    index("payout_admitted_merchant").on(t.merchantId, t.admittedAt).where(sql`${t.admittedAt} is not null`),
    index("payout_admitted_account").on(t.account, t.admittedAt).where(sql`${t.admittedAt} is not null`),
    // Whose funds are in a wallet, or come back to it.
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
