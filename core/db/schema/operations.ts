// Decisions of operators: settings for every replica, and commands that a second person must approve.
import { sql } from "drizzle-orm";
import { index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ControlName } from "../../model/control-names.ts";
import type { Currency } from "../../money.ts";
import { moment, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/**
 * A switch that is off, or a limit that is set (core/controls). Without a row, a switch is on and a limit has its
 * default value.
 */
export const control = gatewaySchema.table("control", {
  name: text().$type<ControlName>().primaryKey(),
  /** The value of a limit in whole currency units, or the reason why a switch is off. */
  value: text().notNull(),
  changedBy: text().notNull(),
  changedAt: now(),
});

/**
 * An operator's command that moves or excuses money. It is kept forever, with the people who requested and approved it.
 */
export const operation = gatewaySchema.table(
  "operation",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** The command's name. */
    action: text().notNull(),
    /** The subject of the command, such as a payout, a difference or a limit. */
    subject: text().notNull(),
    arguments: jsonb().$type<Record<string, string>>().notNull(),
    /** The amount that the command moves or excuses, in the smallest unit; null if unknown. */
    amount: units(),
    currency: text().$type<Currency>(),
    requestedBy: text().notNull(),
    /** The database login of the person who requested the command. */
    requestedLogin: text().notNull().default(sql`session_user`),
    requestedAt: now(),
    /** Who approved or refused the command; null while it waits, and if one person is enough. */
    decidedBy: text(),
    decidedLogin: text(),
    decidedAt: moment(),
    /** Null while the command waits for a second person. */
    outcome: text().$type<"done" | "refused">(),
  },
  (t) => [uniqueIndex("operation_waiting").on(t.subject, t.action).where(sql`${t.outcome} is null`)],
);

/**
 * A difference that a reconciliation has found. It is kept until a full scheduled reconciliation no longer finds it.
 */
export const reconciliationDifference = gatewaySchema.table(
  "reconciliation_difference",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    about: text().notNull(),
    /** The facts that identify the difference. If they change, it is a different one. */
    identity: text().notNull(),
    says: text().notNull(),
    /** In the smallest unit; null if no amount is known. */
    amount: units(),
    currency: text().$type<Currency>(),
    firstSeen: now(),
    lastSeen: now(),
    /**
     * Who accepted the difference. `npm run reconcile` still lists an acknowledged difference, which no longer causes an
     * alert. A difference with another identity is a new one.
     */
    acknowledgedBy: text(),
    acknowledgedAt: moment(),
    reason: text(),
  },
  (t) => [uniqueIndex().on(t.kind, t.about, t.identity), index().on(t.lastSeen)],
);
