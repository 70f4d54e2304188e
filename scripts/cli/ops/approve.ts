// Commands that affect funds. Above a limit, a second named person must approve a command before it is carried out, and
// every check is then repeated.
import { asc, isNull } from "drizzle-orm";
import {
  AlreadyWaitingError,
  decideOperation,
  isWaiting,
  storeOperation,
} from "#core/controls/operations.ts";
import { isAnotherPerson } from "#core/controls/same-person.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { operation } from "#core/db/schema/operations.ts";
import { DEPLOYMENT_CHANGE } from "#core/deployment/deployment-change.ts";
import { type Currency, formatAmount } from "#core/money.ts";
import type { FeeBearer } from "#core/payouts/try-again.ts";
import type { OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import type { CoverageSources } from "#settlement/payouts/check-coverage.ts";
import { inUnits, readLimits } from "#settlement/payouts/read-controls.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { requireName } from "../shared/require-name.ts";

/** A requested operation, and the person who requests it. */
export type Asked = { subject: string; arguments: Record<string, string>; by: string };

/**
 * The amount that a command affects, in the currency's smallest unit; null if it is unknown, in which case a second
 * person must approve.
 */
export type Stake = { amount: bigint; currency: Currency } | null;

export type OpsParts = {
  database: Database;
  /** The providers as configured for the roles. */
  offRamps(): Promise<OffRamps>;
  feeBearer: FeeBearer;
  /** The chain that the gateway works with, and the indexer's tables. */
  chain(): Promise<CoverageSources>;
};

export type Controlled = {
  /**
   * Returns the current state that the request depends on, which is stored with the request. If the state has changed
   * since, the request cannot be approved, because the second person would decide about something different.
   */
  describe?(parts: OpsParts, asked: Asked): Promise<Record<string, string>>;
  /** @throws UserError if the command cannot be carried out in the current state */
  weigh(parts: OpsParts, asked: Asked): Promise<Stake>;
  /** Stores a waiting request in its own transaction, while no worker is paying the subject. */
  keepUnpaid?(parts: OpsParts, asked: Asked, store: (tx: Transaction) => Promise<void>): Promise<void>;
  /** @param finish records the operation; call it in the transaction that makes the change */
  carryOut(parts: OpsParts, asked: Asked, finish: (tx: Transaction) => Promise<void>): Promise<void>;
};

export type ControlledCommands = Record<string, Controlled>;

function find(commands: ControlledCommands, action: string): Controlled {
  const command = commands[action];
  if (!command) throw new Error(`No handler is registered for '${action}'.`);
  return command;
}

async function needsSecondPerson(database: Database, stake: Stake): Promise<boolean> {
  const { approval = 0n } = await readLimits(database);
  return stake === null || stake.amount > inUnits(approval, stake.currency);
}

/**
 * Carries out a command, or stores it for approval by a second person.
 * @returns the operation's id, and whether it waits for approval
 */
export async function ask(
  parts: OpsParts,
  commands: ControlledCommands,
  action: string,
  asked: Asked,
): Promise<{ operation: number; waits: boolean }> {
  const { database } = parts;
  requireName(asked.by);
  const command = find(commands, action);
  const stake = await command.weigh(parts, asked);
  const described = {
    ...asked,
    arguments: { ...asked.arguments, ...(await command.describe?.(parts, asked)) },
  };
  const waits = await needsSecondPerson(database, stake);
  let id = 0;
  const store = async (tx: Transaction) => {
    const requested = { action, subject: asked.subject, arguments: described.arguments, ...stake };
    id = await storeOperation(tx, requested, { by: asked.by, waits });
  };
  try {
    if (!waits) await command.carryOut(parts, described, store);
    else if (command.keepUnpaid) await command.keepUnpaid(parts, described, store);
    else await database.transaction(store);
  } catch (error) {
    throw error instanceof AlreadyWaitingError ? new UserError(error.message) : error;
  }
  return { operation: id, waits };
}

async function decide(tx: Transaction, id: number, by: string, outcome: "done" | "refused"): Promise<void> {
  const wasWaiting = await decideOperation(tx, id, { by, outcome });
  if (!wasWaiting) throw new UserError(`Another person has decided operation ${id} in the meantime.`);
}

async function findWaiting(database: Database, id: number) {
  const [row] = await database.select().from(operation).where(isWaiting(id));
  if (!row) throw new UsageError(`No operation ${id} is waiting for a second person.`);
  return row;
}

/** @throws UserError if the subject, or the amount at stake, differs from the request */
async function requireUnchanged(
  parts: OpsParts,
  command: Controlled,
  row: typeof operation.$inferSelect,
  asked: Asked,
): Promise<void> {
  const stake = await command.weigh(parts, asked);
  const present = { ...(await command.describe?.(parts, asked)), ...shown(stake) };
  const then: Record<string, string> = { ...row.arguments, ...shown(row) };
  const changed = Object.entries(present).filter(([name, value]) => then[name] !== value);
  if (changed.length === 0) return;
  const changes = changed.map(([name, value]) => `${name} was ${then[name] ?? "unknown"}, is now ${value}`);
  throw new UserError(
    `${row.subject} has changed since operation ${row.id} was requested (${changes.join("; ")}): refuse it and request it again.`,
  );
}

const shown = (stake: Partial<Pick<typeof operation.$inferSelect, "amount" | "currency">> | null) => ({
  "at stake":
    stake?.amount == null
      ? "unknown"
      : `${formatAmount(stake.amount, stake.currency as Currency)} ${stake.currency}`,
});

/** Returns what to print after `ask`. */
export const describeAsked = ({ operation, waits }: { operation: number; waits: boolean }): string =>
  waits
    ? `Operation ${operation} requires approval. A second person must run: npm run ops -- approve ${operation} --by NAME`
    : "Done.";

/** Carries out an operation that another person requested. */
export async function approve(
  parts: OpsParts,
  commands: ControlledCommands,
  id: number,
  by: string,
): Promise<void> {
  const row = await findWaiting(parts.database, id);
  if (row.action === DEPLOYMENT_CHANGE) {
    throw new UsageError(
      `Approve operation ${id} with the new settings: npm run migrate -- --approve ${id} --by NAME.`,
    );
  }
  if (!isAnotherPerson(by, row.requestedBy)) {
    throw new UserError(
      `Operation ${id} was requested by ${row.requestedBy}: another person must approve it.`,
    );
  }
  const command = find(commands, row.action);
  const asked = { subject: row.subject, arguments: row.arguments, by: row.requestedBy };
  await requireUnchanged(parts, command, row, asked);
  await command.carryOut(parts, asked, (tx) => decide(tx, id, by, "done"));
}

export async function refuseOperation({ database }: OpsParts, id: number, by: string): Promise<void> {
  await findWaiting(database, id);
  requireName(by);
  await database.transaction((tx) => decide(tx, id, by, "refused"));
}

/** Returns the operations that wait for a second person, oldest first. */
export const waitingOperations = (database: Database) =>
  database.select().from(operation).where(isNull(operation.outcome)).orderBy(asc(operation.id));
