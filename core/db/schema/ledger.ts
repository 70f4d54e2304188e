// The double-entry ledger (docs/ledger.md). A posting moves one amount from one account to another of the same merchant
// and currency, so it is always balanced. The kind of a posting determines the accounts. Triggers (core/db/migrations)
// reject changes to postings, set their merchant, and update the balances. Postings and balances refer to the merchant and
// the deployment by their intent alone: with foreign keys, every posting would lock rows that all payments share. The
// trigger that sets the merchant rejects a posting without an intent, so the intent needs no foreign key either.
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
import { type Account, FLOWS, type PostingKind, SOURCES } from "../../ledger/flows.ts";
import type { Mode } from "../../model/mode.ts";
import { hex, idColumn, intentId, merchantKey, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { payout } from "./payouts.ts";

const quoted = (text: string) => `'${text}'`;

/** Returns the SQL expression of the account at one end of a posting. */
function accountAt(end: "from" | "to"): SQL {
  const cases = Object.entries(FLOWS).map(([kind, [from, to]]) => {
    const [forth, back] = end === "from" ? [from, to] : [to, from];
    return `when ${quoted(kind)} then case when "reversed" then ${quoted(back)} else ${quoted(forth)} end`;
  });
  return sql.raw(`case "kind" ${cases.join(" ")} end`);
}

/** Only settlement/ledger writes postings. They are never changed or deleted. */
export const ledgerPosting = gatewaySchema.table(
  "ledger_posting",
  {
    /** The intent's deployment, set by a trigger. */
    deploymentId: integer().notNull(),
    kind: text().$type<PostingKind>().notNull(),
    /**
     * The subject of the posting within the payment: empty for its funding, the number of a refund, settlement or
     * withdrawal, `<settlement>.<part>.<attempt>` for a payout, or `<signer>-<nonce>` for the share in a transaction.
     */
    subject: text().notNull(),
    /** Starts at 1. Higher revisions exist only after a reorg, or if a provider corrects its report. */
    revision: integer().notNull(),
    /** Whether the posting reverses the previous one, with debit and credit exchanged. */
    reversed: boolean().notNull(),
    /** Above zero, in the smallest unit (wei for the network's own currency). */
    amount: units().notNull(),
    fromAccount: text().$type<Account>().notNull().generatedAlwaysAs(accountAt("from")),
    toAccount: text().$type<Account>().notNull().generatedAlwaysAs(accountAt("to")),
    intentId: intentId().notNull(),
    payoutId: idColumn("payout"),
    /** The block of the on-chain event; null for a provider's report. */
    block: bigint({ mode: "number" }),
    txHash: hex(),
    /** The intent's values, set by a trigger, except for the currency of delivered amounts and of network fees. */
    merchantId: merchantKey().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
    currency: text().notNull().default("USDC"),
    createdAt: now(),
  },
  (t) => [
    // Each event is posted once.
    primaryKey({
      name: "ledger_posting_once",
      columns: [t.intentId, t.kind, t.subject, t.revision, t.merchantId],
    }),
    foreignKey({ columns: [t.payoutId, t.merchantId], foreignColumns: [payout.id, payout.merchantId] }),
    index().on(t.deploymentId, t.block),
    index("ledger_posting_lost").on(t.deploymentId, t.intentId).where(sql`${t.kind} = 'lost'`),
    check("ledger_posting_amount_positive", sql`${t.amount} > 0`),
  ],
);

/** The sums of the postings. Only `update_balances`, a trigger function of `ledger_posting`, writes to this table. */
export const ledgerBalance = gatewaySchema.table(
  "ledger_balance",
  {
    deploymentId: integer().notNull(),
    merchantId: merchantKey().notNull(),
    mode: text().$type<Mode>().notNull(),
    /** The currency of a token, of the bank, or of the network. */
    currency: text().notNull(),
    account: text().$type<Account>().notNull(),
    /** In the smallest unit. */
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
