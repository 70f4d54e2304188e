// A world with one wallet, whose balance a test can set, and a bank that pays every order.
import { eq, sql } from "drizzle-orm";
import { maxUint256, numberToHex } from "viem";
import { payout } from "#core/db/schema/payouts.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { gullibleBank, openBook, paidTimes } from "./gullible-bank.ts";
import type { TestIntent } from "./intents.ts";
import { insertPayout, type NewPayout } from "./payouts.ts";
import { makeWorld, PAYER, type World } from "./world.ts";

export const HUNDRED = 100_000_000n;

/** A settled order of one hundred, with its payout. */
export type Due = TestIntent & { payoutId: string };

export type WalletWorld = World & {
  /** The wallet's balance in every token. */
  balance: bigint;
  /** Number of balance reads. */
  balanceReads: number;
  /** Tokens whose balance cannot be read, in lower case. */
  broken: Set<string>;
  /** Tokens that report a balance above any amount. */
  endless: Set<string>;
  /** The next balance read waits for this promise. */
  gate: Promise<void>;
};

type Call = { to: string };

export async function makeWalletWorld(
  change: (bank: OffRamp) => OffRamp = (bank) => bank,
): Promise<WalletWorld> {
  const state = {
    balance: 0n,
    balanceReads: 0,
    broken: new Set<string>(),
    endless: new Set<string>(),
    gate: Promise.resolve(),
  };
  const world = await makeWorld({
    answers: {
      async eth_call([call]) {
        state.balanceReads++;
        const { gate } = state;
        state.gate = Promise.resolve();
        await gate;
        if (state.broken.has((call as Call).to.toLowerCase())) throw new Error("execution reverted");
        const isEndless = state.endless.has((call as Call).to.toLowerCase());
        return numberToHex(isEndless ? maxUint256 : state.balance, { size: 32 });
      },
    },
    offRamps: (database) => {
      const bank = change(gullibleBank(database));
      return () => bank;
    },
  });
  await openBook(world.context.database);
  return Object.assign(state, world);
}

/** Adds a confirmed and settled order of one hundred, without a payout. */
export async function addSettled(
  world: World,
  currency: NewPayout["currency"] = "USDC",
): Promise<TestIntent> {
  const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED", currency });
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.settle(made.orderId, made.terms, 10);
  await world.chain.head(20);
  return made;
}

/** Adds such an order with its payout. */
export async function addDue(
  world: World,
  more: Partial<NewPayout> = {},
  currency: NewPayout["currency"] = "USDC",
): Promise<Due> {
  const made = await addSettled(world, currency);
  const payoutId = await insertPayout(world.context.database, made, { currency, ...more });
  return { ...made, payoutId };
}

/** Adds two such orders, the older one first. */
export async function addTwo(world: World): Promise<[older: Due, newer: Due]> {
  const now = Date.now();
  const older = await addDue(world, { settledAt: new Date(now - 60_000) });
  return [older, await addDue(world, { settledAt: new Date(now - 30_000) })];
}

export async function findPayout({ context: { database } }: World, id: string) {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new Error(`There is no payout ${id}.`);
  return row;
}

export const readState = async (world: World, { payoutId }: Pick<Due, "payoutId">) =>
  (await findPayout(world, payoutId)).state;

export const changePayout = (
  { context: { database } }: World,
  { payoutId }: Pick<Due, "payoutId">,
  to: Partial<NewPayout>,
) => database.update(payout).set(to).where(eq(payout.id, payoutId));

/** Ends every payout's delay. */
export const endDelays = ({ context: { database } }: World) =>
  database.update(payout).set({ nextAttemptAt: sql`clock_timestamp()` });

/** Returns the number of payouts that the bank has paid. */
export const countPaid = async ({ context: { database } }: World): Promise<number> =>
  (await paidTimes(database)).size;

/** Starts a process that executes payouts and caches the balances for a second. */
export const startPayer = ({ context }: World) => {
  const handle = createPayoutHandler(context, () => undefined);
  return (...due: { payoutId: string }[]) => handle(due.map(({ payoutId }) => payoutId));
};

/**
 * Ends every payout's delay, and lets a new process execute these payouts.
 * @returns the number of payouts that the bank has paid
 */
export async function pay(world: World, ...due: { payoutId: string }[]): Promise<number> {
  await endDelays(world);
  await startPayer(world)(...due);
  return countPaid(world);
}
