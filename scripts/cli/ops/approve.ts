// Commands that move or excuse money: above a limit a second named person approves them, and only then are they carried
// out, with every check made again.
import { asc, isNull } from "drizzle-orm";
import { decideOperation, isWaiting, storeOperation } from "#core/controls/operations.ts";
import { isSamePerson } from "#core/controls/same-person.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { operation } from "#core/db/schema/operations.ts";
import { DEPLOYMENT_CHANGE } from "#core/deployment/deployment-change.ts";
import type { Currency } from "#core/money.ts";
import type { FeeBearer } from "#core/payouts/try-again.ts";
import type { OffRamps } from "#settlement/offramp/off-ramp.ts";
import { inUnits, readLimits } from "#settlement/payouts/read-controls.ts";
import { UsageError, UserError } from "../../shared/errors.ts";

/** What is asked for, by whom. */
export type Asked = { subject: string; arguments: Record<string, string>; by: string };

/** What a command moves or excuses, in the smallest unit; null where nobody knows it: then two people decide. */
export type Stake = { amount: bigint; currency: Currency } | null;

export type OpsParts = {
  database: Database;
  /** The providers as the roles have them configured. */
  offRamps(): Promise<OffRamps>;
  feeBearer: FeeBearer;
};

export type Controlled = {
  /** @throws UserError when it cannot be carried out as things are */
  weigh(parts: OpsParts, asked: Asked): Promise<Stake>;
  /** @param finish records the operation; to be called in the transaction of the effect */
  carryOut(parts: OpsParts, asked: Asked, finish: (tx: Transaction) => Promise<void>): Promise<void>;
};

export type ControlledCommands = Record<string, Controlled>;

function find(commands: ControlledCommands, action: string): Controlled {
  const command = commands[action];
  if (!command) throw new Error(`Nothing carries out '${action}'.`);
  return command;
}

async function needsSecondPerson(database: Database, stake: Stake): Promise<boolean> {
  const { approval = 0n } = await readLimits(database);
  return stake === null || stake.amount > inUnits(approval, stake.currency);
}

/**
 * Carries out a command, or stores it for a second person.
 * @returns the operation's id, and whether it waits
 */
export async function ask(
  parts: OpsParts,
  commands: ControlledCommands,
  action: string,
  asked: Asked,
): Promise<{ operation: number; waits: boolean }> {
  const { database } = parts;
  if (asked.by.trim() === "") throw new UsageError("--by names the person who asks for it.");
  const command = find(commands, action);
  const stake = await command.weigh(parts, asked);
  const waits = await needsSecondPerson(database, stake);
  let id = 0;
  const store = async (tx: Transaction) => {
    const requested = { action, subject: asked.subject, arguments: asked.arguments, ...stake };
    id = await storeOperation(tx, requested, { by: asked.by, waits });
  };
  if (waits) await database.transaction(store);
  else await command.carryOut(parts, asked, store);
  return { operation: id, waits };
}

async function decide(tx: Transaction, id: number, by: string, outcome: "done" | "refused"): Promise<void> {
  const wasWaiting = await decideOperation(tx, id, { by, outcome });
  if (!wasWaiting) throw new UserError(`Another person has decided operation ${id} meanwhile.`);
}

async function findWaiting(database: Database, id: number) {
  const [row] = Number.isSafeInteger(id) ? await database.select().from(operation).where(isWaiting(id)) : [];
  if (!row) throw new UsageError(`No operation ${id} waits for a second person.`);
  return row;
}

/** Carries out what another person asked for. */
export async function approve(
  parts: OpsParts,
  commands: ControlledCommands,
  id: number,
  by: string,
): Promise<void> {
  const row = await findWaiting(parts.database, id);
  if (row.action === DEPLOYMENT_CHANGE) {
    throw new UsageError(
      `Operation ${id} is approved with the new settings: npm run migrate -- --approve ${id} --by NAME.`,
    );
  }
  if (by.trim() === "" || isSamePerson(by, row.requestedBy)) {
    throw new UserError(`${row.requestedBy} requested operation ${id}: another person approves it.`);
  }
  const command = find(commands, row.action);
  const asked = { subject: row.subject, arguments: row.arguments, by: row.requestedBy };
  await command.weigh(parts, asked);
  await command.carryOut(parts, asked, (tx) => decide(tx, id, by, "done"));
}

export async function refuseOperation({ database }: OpsParts, id: number, by: string): Promise<void> {
  await findWaiting(database, id);
  if (by.trim() === "") throw new UsageError("--by names the person who refuses it.");
  await database.transaction((tx) => decide(tx, id, by, "refused"));
}

/** What waits for a second person, the oldest first. */
export const waitingOperations = (database: Database) =>
  database.select().from(operation).where(isNull(operation.outcome)).orderBy(asc(operation.id));
