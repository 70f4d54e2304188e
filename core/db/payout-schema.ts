// What is paid to merchants in fiat.
import { sql } from "drizzle-orm";
import { bigint, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { IntentId } from "../ids.ts";
import type { Currency } from "../money.ts";
import { hex, moment, now, units } from "./columns.ts";
import { gateway, intent, type Mode, type SettlementMethod } from "./schema.ts";

/**
 * `created`: stored, the provider may or may not know it. `submitted`: the provider has accepted it.
 * `completed`: the provider has paid. `failed`, `returned`: the provider says that no money arrived.
 * `quarantined`: the provider's answer was ambiguous; a look-up by reference will tell.
 */
export type PayoutState = "created" | "submitted" | "completed" | "failed" | "returned" | "quarantined";

/**
 * Fiat for one on-chain settlement, or for its part: each milestone is paid by itself, also where several were settled
 * together. An attempt n+1 exists only after attempt n failed or was returned.
 */
export const payout = gateway.table(
  "payout",
  {
    id: text().primaryKey(),
    /** Names chain, genesis, contract, order, settlement and attempt; the provider knows the payout by it. */
    reference: text().notNull().unique(),
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    /** `chain.settlement.id`: which settlement of the order. */
    settlementId: text().notNull(),
    /** Which part of the settlement, from 0. The parts are planned at once and make up the whole. */
    part: integer().notNull().default(0),
    settlementTxHash: hex().notNull(),
    /** Where the settlement was when the payout was planned. Null for payouts older than this column. */
    settlementBlock: bigint({ mode: "number" }),
    /** When it was settled, by its block. The epoch for payouts older than this column. */
    settledAt: moment().notNull(),
    /** What was settled, over all parts. */
    settlementAmount: units().notNull(),
    attempt: integer().notNull(),
    method: text().$type<SettlementMethod>().notNull(),
    destination: text().notNull(),
    amount: units().notNull(),
    /** What the provider has kept of it, by its own word; the rest arrived. */
    fee: units().notNull().default(sql`0`),
    currency: text().$type<Currency>().notNull(),
    /**
     * The account with a provider that it belongs to, from before its first call (settlement/claim-payouts.ts): it is
     * ordered and looked up there and nowhere else. Null: no provider has been called.
     */
    account: text(),
    /** Why no call may be made for it until operations act. Null: nothing is in its way. */
    blocked: text(),
    /** The intent's, kept here for lists: a trigger fills them in, whoever inserts. */
    merchantId: text().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
    state: text().$type<PayoutState>().notNull().default("created"),
    providerId: text(),
    failure: text(),
    createdAt: now(),
    updatedAt: now(),
    completedAt: moment(),
    /** When the return window closes. */
    finalAt: moment(),
    /** From when on a worker may take it up (again). Null: nothing is left to do. */
    nextLookAt: moment().default(sql`clock_timestamp()`),
    /**
     * Until when a worker has it in hand: past the time that its call of the provider can last, so that nobody else calls
     * meanwhile, however the worker ends. No index knows it, and pages are filled by half: taking a payout up is a row
     * written beside the old one.
     */
    leasedUntil: moment(),
    /** The state that an event has told. */
    toldState: text().$type<PayoutState>(),
    /** The state that the ledger knows. */
    postedState: text().$type<PayoutState>(),
  },
  (t) => [
    uniqueIndex().on(t.intentId, t.settlementId, t.part, t.attempt),
    index("payout_untold")
      .on(t.updatedAt)
      .where(
        sql`${t.state} in ('completed', 'failed', 'returned') and ${t.toldState} is distinct from ${t.state}`,
      ),
    index("payout_unposted")
      .on(t.intentId)
      .where(
        sql`${t.state} in ('completed', 'failed', 'returned') and ${t.postedState} is distinct from ${t.state}`,
      ),
    index().on(t.settlementBlock),
    index("payout_due").on(t.nextLookAt).where(sql`${t.nextLookAt} is not null`),
    index().on(t.updatedAt),
    index().on(t.finalAt),
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    index("payout_failed").on(t.intentId).where(sql`${t.state} in ('failed', 'returned')`),
  ],
);
