// Operators' decisions about off-ramp provider accounts, each with its audit log entry.
import { and, eq, inArray, isNotNull, isNull, not, or, sql } from "drizzle-orm";
import { alias, type PgColumn, union } from "drizzle-orm/pg-core";
import { byOperations, recordAudit } from "#core/audit/record-audit.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { type OffRampAccountState, offRampAccount, offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow, isUnclaimed } from "#core/payouts/due-now.ts";
import { isOfSamePart } from "#core/payouts/later-attempt.ts";
import { noteMove } from "#settlement/payouts/retry-funds.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { note } from "./changes.ts";
import type { Row } from "./lists.ts";

/** The person who decides, and the reason. */
export type Decision = { by: string; reason: string };

/** Runs in the transaction that makes the change. */
type Finish = (tx: Transaction) => Promise<void>;
const nothing: Finish = async () => undefined;

const later = alias(payout, "later");

/** Whether a provider accepted a later attempt, so that its report about the funds decides, or operators have paid it. */
const isReplaced = sql`exists (select from ${payout} later where ${isOfSamePart(later)}
  and ${later.attempt} > ${payout.attempt} and (${later.providerId} is not null or ${later.state} = 'completed'))`;

/** The payouts of an account whose outcome, or the return of whose funds, its provider may still report. */
const isOpen = (account: string | PgColumn) =>
  and(
    eq(payout.account, account),
    or(
      inArray(payout.state, ["created", "submitted", "quarantined"]),
      and(eq(payout.state, "completed"), isNotNull(payout.nextAttemptAt)),
      and(inArray(payout.state, ["failed", "returned"]), eq(payout.refunded, false), not(isReplaced)),
    ),
  );

/** Lists every account that has a confirmed wallet or a decision. */
export function listAccounts(database: Database): Promise<Row[]> {
  const known = union(
    database.select({ account: offRampWallet.account }).from(offRampWallet),
    database.select({ account: offRampAccount.account }).from(offRampAccount),
  ).as("known");
  const { walletId, address, account } = offRampWallet;
  const wallets = sql<
    string | null
  >`(select string_agg(${walletId} || ' ' || ${address}, ', ') from ${offRampWallet}
    where ${account} = ${known.account})`;
  return database
    .select({
      account: known.account,
      state: sql<string>`coalesce(${offRampAccount.state}, 'active')`,
      by: offRampAccount.changedBy,
      reason: offRampAccount.reason,
      failingSince: sql<string | null>`${offRampAccount.failingSince}::text`,
      wallets,
      open: database.$count(payout, isOpen(known.account)),
    })
    .from(known)
    .leftJoin(offRampAccount, eq(offRampAccount.account, known.account))
    .orderBy(known.account);
}

async function requireKnown(tx: Transaction, account: string): Promise<OffRampAccountState> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.off_ramp_account', 0))`);
  const [row] = await tx.select().from(offRampAccount).where(eq(offRampAccount.account, account));
  if (row) return row.state;
  if ((await tx.$count(offRampWallet, eq(offRampWallet.account, account))) > 0) return "active";
  throw new UsageError(`No such account: '${account}'. List them: npm run accounts -- list.`);
}

/** Returns the state that a decision about an account depends on: its latest decision and its wallets. */
export async function describeAccount(database: Database, account: string): Promise<Record<string, string>> {
  const [row] = await database.select().from(offRampAccount).where(eq(offRampAccount.account, account));
  const wallets = await database.select().from(offRampWallet).where(eq(offRampWallet.account, account));
  return {
    decision: row ? `${row.state} since ${row.changedAt.toISOString()}, by ${row.changedBy}` : "none",
    wallets: wallets
      .map(({ walletId, address }) => `${walletId} ${address}`)
      .sort()
      .join(", "),
  };
}

async function requireNothingOpen(tx: Transaction, account: string): Promise<void> {
  const open = await tx
    .select({ state: payout.state, count: sql<number>`count(*)::int` })
    .from(payout)
    .where(isOpen(account))
    .groupBy(payout.state);
  if (open.length === 0) return;
  const counts = open.map(({ state, count }) => `${count} ${state}`).join(", ");
  throw new UserError(
    `The account "${account}" still has open payouts (${counts}), which must end first. ` +
      "Completed ones end with their return window, returned ones when the provider reports that the funds are back, " +
      "or when a provider has accepted a later attempt.",
  );
}

/** @returns the current state. @throws UserError if it cannot change to the requested one */
async function checkChange(tx: Transaction, account: string, to: OffRampAccountState) {
  const from = await requireKnown(tx, account);
  if (from === to) throw new UserError(`The account "${account}" is already ${to}.`);
  if (to === "removed") {
    if (from !== "draining") throw new UserError(`Drain the account "${account}" before removing it.`);
    await requireNothingOpen(tx, account);
  }
  return from;
}

/** Checks a request that waits for a second person. @throws UserError if it could not be carried out now */
export const requireChangeable = (
  database: Database,
  account: string,
  to: OffRampAccountState,
): Promise<OffRampAccountState> => database.transaction((tx) => checkChange(tx, account, to));

/**
 * Changes an account's state: a `draining` account accepts no new payments or payouts; a `removed` one may be deleted
 * from the configuration.
 * @throws UserError if the account is removed before it is drained, or while it has open payouts
 */
export const changeAccount = (
  database: Database,
  account: string,
  to: OffRampAccountState,
  { by, reason }: Decision,
  finish: Finish = nothing,
): Promise<void> =>
  database.transaction(async (tx) => {
    const from = await checkChange(tx, account, to);
    const change = { state: to, changedBy: by, reason, changedAt: sql`clock_timestamp()` };
    await tx
      .insert(offRampAccount)
      .values({ account, ...change })
      .onConflictDoUpdate({ target: offRampAccount.account, set: change });
    await recordAudit(tx, [
      {
        ...byOperations(by),
        ...{ action: `account.${to}`, resourceId: account, from, to, metadata: { reason } },
      },
    ]);
    await finish(tx);
  });

/** Finds the account's wallet that will pay. */
async function findPayer(tx: Transaction, account: string, walletId: string | undefined): Promise<string> {
  const wallets = await tx.select().from(offRampWallet).where(eq(offRampWallet.account, account));
  const found = wallets.filter((wallet) => walletId === undefined || wallet.walletId === walletId);
  const [wallet] = found;
  if (wallet && found.length === 1) return wallet.walletId;
  const known = wallets.map((one) => one.walletId).join(", ") || "none";
  throw new UserError(
    `Specify the wallet that pays with --wallet. Confirmed wallets of "${account}": ${known}.`,
  );
}

type Move = { account: string; wallet?: string | undefined };

/** @returns the payout and the wallet that will pay it. @throws UserError if it cannot be moved in the current state */
async function checkMove(tx: Transaction, id: string, { account, wallet }: Move) {
  const state = await requireKnown(tx, account);
  if (state !== "active") throw new UserError(`The account "${account}" is ${state}: it accepts no payouts.`);
  const [row] = await tx.select().from(payout).where(eq(payout.id, id)).for("update");
  if (!row) throw new UsageError(`No such payout: '${id}'.`);
  if (row.calledAt !== null || row.state !== "created") {
    throw new UserError(
      `${id} may have been ordered at "${row.account}": only that account knows its outcome.`,
    );
  }
  const walletId = await findPayer(tx, account, wallet);
  if (row.account === account && row.wallet === walletId)
    throw new UserError(`${id} is already assigned to the account "${account}" and its wallet.`);
  return { row, walletId };
}

/** Checks a request that waits for a second person. @throws UserError if it could not be carried out now */
export const requireMovable = (database: Database, id: string, move: Move) =>
  database.transaction(async (tx) => (await checkMove(tx, id, move)).row);

/**
 * Moves a payout that was provably never ordered to another account. Its tokens are in the wallet that received the
 * settlement, or to which an earlier attempt returned them: the operator has transferred them to the other account's
 * wallet before.
 * @throws UserError if the payout may have been ordered, or the account accepts no new payouts
 */
export const movePayout = (
  database: Database,
  id: string,
  account: string,
  { by, wallet }: Pick<Decision, "by"> & { wallet?: string | undefined },
  finish: Finish = nothing,
): Promise<void> =>
  database.transaction(async (tx) => {
    const { row, walletId } = await checkMove(tx, id, { account, wallet });
    const [moved] = await tx
      .update(payout)
      .set({ account, wallet: walletId, blocked: null, ...dueNow })
      .where(and(eq(payout.id, id), isNull(payout.calledAt), isUnclaimed))
      .returning({ id: payout.id });
    if (!moved) throw new UserError(`A worker has claimed ${id}: try again in a moment.`);
    await noteMove(tx, id);
    await note(tx, { action: "payout.move", intentId: row.intentId, resourceId: id, by });
    await finish(tx);
  });
