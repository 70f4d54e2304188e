// The double-entry ledger (docs/ledger.md). A posting moves one amount from one account to another of the same merchant
// and currency, so it cannot be unbalanced; the accounts follow from its kind. Triggers (core/db/migrations) refuse
// changes to postings, set their merchant, and update the balances.
import { type SQL, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  numeric,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import type { IntentId } from "../../ids.ts";
import { type Account, FLOWS, type PostingKind, SOURCES } from "../../ledger/flows.ts";
import type { Mode } from "../../model/mode.ts";
import { hex, now, units } from "./columns.ts";
import { deploymentId } from "./deployments.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";
import { merchantId } from "./merchants.ts";
import { payout } from "./payouts.ts";

const quoted = (text: string) => `'${text}'`;

/** The account at one end of a posting. */
function accountAt(end: "from" | "to"): SQL {
  const cases = Object.entries(FLOWS).map(([kind, [from, to]]) => {
    const [forth, back] = end === "from" ? [from, to] : [to, from];
    return `when ${quoted(kind)} then case when "reversed" then ${quoted(back)} else ${quoted(forth)} end`;
  });
  return sql.raw(`case "kind" ${cases.join(" ")} end`);
}

/** Only settlement/ledger writes it; never changed, never deleted. */
export const ledgerPosting = gatewaySchema.table(
  "ledger_posting",
  {
    /** The chain by its genesis, and the contract. */
    deploymentId: deploymentId(),
    kind: text().$type<PostingKind>().notNull(),
    /**
     * What is posted: an order's id, a settlement's or withdrawal's `<orderId>-<n>`, a payout's reference, or the order's
     * share in a transaction, `<signer>-<nonce>-<orderId>`.
     */
    subject: text().notNull(),
    /** From 1. More than one only after a reorg, or where a provider corrects its report. */
    revision: integer().notNull(),
    /** The posting reverses the one before it: debit and credit are exchanged. */
    reversed: boolean().notNull(),
    /** Smallest unit (of the network's own currency: wei), above zero. */
    amount: units().notNull(),
    fromAccount: text().$type<Account>().notNull().generatedAlwaysAs(accountAt("from")),
    toAccount: text().$type<Account>().notNull().generatedAlwaysAs(accountAt("to")),
    intentId: text().$type<IntentId>().notNull(),
    payoutId: text(),
    /** Of the chain's event; null for a provider's report. */
    block: bigint({ mode: "number" }),
    txHash: hex(),
    /** The intent's; a trigger sets them, but for the currency of what was delivered and of network fees. */
    merchantId: text().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
    currency: text().notNull().default("USDC"),
    createdAt: now(),
  },
  (t) => [
    // An event is posted once.
    primaryKey({
      name: "ledger_posting_once",
      columns: [t.deploymentId, t.kind, t.subject, t.revision, t.merchantId],
    }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    foreignKey({ columns: [t.payoutId, t.merchantId], foreignColumns: [payout.id, payout.merchantId] }),
    index().on(t.intentId),
    index().on(t.deploymentId, t.block),
    index("ledger_posting_lost").on(t.deploymentId, t.intentId).where(sql`${t.kind} = 'lost'`),
    check("ledger_posting_amount_positive", sql`${t.amount} > 0`),
  ],
);

/** The sums of the postings. Only the trigger on `ledger_posting` writes it. */
export const ledgerBalance = gatewaySchema.table(
  "ledger_balance",
  {
    deploymentId: deploymentId(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    /** A token's, the bank's, or the network's own. */
    currency: text().notNull(),
    account: text().$type<Account>().notNull(),
    /** Smallest unit. */
    amount: numeric({ precision: 60, scale: 0, mode: "bigint" }).notNull(),
  },
  (t) => [
    primaryKey({
      name: "ledger_balance_pk",
      columns: [t.merchantId, t.mode, t.deploymentId, t.currency, t.account],
    }),
    check(
      "ledger_balance_not_overdrawn",
      sql.raw(`"amount" >= 0 or "account" in (${SOURCES.map(quoted).join(", ")})`),
    ),
  ],
);
