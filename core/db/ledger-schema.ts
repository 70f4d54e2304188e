// The double-entry ledger (docs/ledger.md). A posting moves one amount from one account to another of the same merchant
// and currency, so it cannot be unbalanced; which accounts follows from its kind, so it cannot take another way. Triggers
// (core/db/migrations) refuse changes to it, fill in whose it is, and keep the balances.
import { type SQL, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  numeric,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { IntentId } from "../ids.ts";
import { type Account, FLOWS, type PostingKind, SOURCES } from "../ledger/flows.ts";
import type { Currency } from "../money.ts";
import { hex, now, units } from "./columns.ts";
import { payout } from "./payout-schema.ts";
import { deployment, gateway, intent, type Mode, merchant } from "./schema.ts";

const quoted = (text: string) => `'${text}'`;

/** The account at one end of a posting. */
function accountAt(end: "from" | "to"): SQL {
  const cases = Object.entries(FLOWS).map(([kind, [from, to]]) => {
    const [forth, back] = end === "from" ? [from, to] : [to, from];
    return `when ${quoted(kind)} then case when "taken_back" then ${quoted(back)} else ${quoted(forth)} end`;
  });
  return sql.raw(`case "kind" ${cases.join(" ")} end`);
}

/** Written by settlement/ledger and nothing else; never changed, never deleted. */
export const ledgerPosting = gateway.table(
  "ledger_posting",
  {
    position: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The chain by its genesis, and the contract. */
    deploymentId: text()
      .notNull()
      .references(() => deployment.id),
    kind: text().$type<PostingKind>().notNull(),
    /** What happened: an order's id, a settlement's or withdrawal's `<orderId>-<n>`, or a payout's reference. */
    subject: text().notNull(),
    /** The first posting about it is 1. More than one only after a reorg, or where a provider takes its word back. */
    turn: integer().notNull(),
    /** It is not so any more: the posting goes the other way. */
    takenBack: boolean().notNull(),
    /** Smallest unit, above zero. */
    amount: units().notNull(),
    fromAccount: text().$type<Account>().notNull().generatedAlwaysAs(accountAt("from")),
    toAccount: text().$type<Account>().notNull().generatedAlwaysAs(accountAt("to")),
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    payoutId: text().references(() => payout.id),
    /** Of the chain's event; null for what a provider said. */
    block: bigint({ mode: "number" }),
    txHash: hex(),
    /** The intent's: a trigger fills them in, whoever inserts. */
    merchantId: text().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
    currency: text().$type<Currency>().notNull().default("USDC"),
    createdAt: now(),
  },
  (t) => [
    uniqueIndex("ledger_posting_once").on(t.deploymentId, t.kind, t.subject, t.turn),
    index().on(t.intentId),
    index().on(t.deploymentId, t.block),
    check("ledger_posting_moves_something", sql`${t.amount} > 0`),
  ],
);

/** What the postings come to. A trigger on them keeps it, and nobody else can write it. */
export const ledgerBalance = gateway.table(
  "ledger_balance",
  {
    deploymentId: text()
      .notNull()
      .references(() => deployment.id),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    currency: text().$type<Currency>().notNull(),
    account: text().$type<Account>().notNull(),
    /** Smallest unit. */
    amount: numeric({ precision: 60, scale: 0, mode: "bigint" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.mode, t.deploymentId, t.currency, t.account] }),
    check(
      "ledger_balance_not_overdrawn",
      sql.raw(`"amount" >= 0 or "account" in (${SOURCES.map(quoted).join(", ")})`),
    ),
  ],
);

/** A comparison of the ledger with contract, payouts and provider: settlement/reconcile. */
export const reconciliation = gateway.table(
  "reconciliation",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** How many differences of each kind; kinds without one are left out. Null: under way, or it came to no end. */
    differences: jsonb().$type<Record<string, number>>(),
    /** It was about everything; else about what is not over for long. */
    whole: boolean().notNull().default(true),
    createdAt: now(),
  },
  (t) => [index().on(t.createdAt)],
);
