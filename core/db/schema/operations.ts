// What operations decide: settings of every replica, and commands that a second person has to approve.
import { sql } from "drizzle-orm";
import { index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ControlName } from "../../model/control-names.ts";
import type { Currency } from "../../money.ts";
import { moment, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/** A switch that is off or a limit that is set: see core/controls. No row: the switch is on, the limit has its default. */
export const control = gatewaySchema.table("control", {
  name: text().$type<ControlName>().primaryKey(),
  /** Of a limit, in whole currency units; of a switch, why it is off. */
  value: text().notNull(),
  changedBy: text().notNull(),
  changedAt: now(),
});

/** A command of operations that moves or excuses money. Kept for ever, with who asked for it and who approved it. */
export const operation = gatewaySchema.table(
  "operation",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** The command's name. */
    action: text().notNull(),
    /** What it is about: a payout, a difference, a limit. */
    subject: text().notNull(),
    arguments: jsonb().$type<Record<string, string>>().notNull(),
    /** What it moves or excuses, in the smallest unit; null where that is not known. */
    amount: units(),
    currency: text().$type<Currency>(),
    requestedBy: text().notNull(),
    /** The database's login of that person. */
    requestedLogin: text().notNull().default(sql`session_user`),
    requestedAt: now(),
    /** Who approved or refused it; null while it waits, and where one person is enough. */
    decidedBy: text(),
    decidedLogin: text(),
    decidedAt: moment(),
    /** Null: it waits for a second person. */
    outcome: text().$type<"done" | "refused">(),
  },
  (t) => [uniqueIndex("operation_waiting").on(t.subject, t.action).where(sql`${t.outcome} is null`)],
);

/** A difference that a reconciliation has found, until a full one on schedule does not find it any more. */
export const reconciliationDifference = gatewaySchema.table(
  "reconciliation_difference",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    about: text().notNull(),
    /** What has to stay the same for it to be this difference. */
    identity: text().notNull(),
    says: text().notNull(),
    /** Smallest unit; null where no amount is known. */
    amount: units(),
    currency: text().$type<Currency>(),
    firstSeen: now(),
    lastSeen: now(),
    /** Known and accepted: it stays in the report, and leaves the alert. With another identity it is another one. */
    acknowledgedBy: text(),
    acknowledgedAt: moment(),
    reason: text(),
  },
  (t) => [uniqueIndex().on(t.kind, t.about, t.identity), index().on(t.lastSeen)],
);
