// Payouts in a real database. The gateway's own worker and commands execute the search's moves, many at once, each in
// its own slot.
import { asc, eq, inArray } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { Controlled } from "#scripts/cli/ops/approve.ts";
import { cancelPayout } from "#scripts/cli/ops/cancel-payout.ts";
import { refreshPayout, retryPayouts } from "#scripts/cli/ops/changes.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { UserError } from "#scripts/shared/errors.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { settlementTxHash, timeOf } from "#test/settlement/support/chain-tables.ts";
import type { TestIntent } from "#test/settlement/support/intents.ts";
import { makeWorld, PAYER, type World } from "#test/settlement/support/world.ts";
import type { Move } from "./moves.ts";
import { type Desk, type Meanwhile, misbehavingProvider, REJECTED } from "./provider.ts";
import { type Attempt, HALF, isTransfer, latest, type Situation } from "./state.ts";

export type Job = { situation: Situation; move: Exclude<Move, { kind: "world" }> };
/** The result of a move; `offence` names a forbidden action. */
export type Outcome = { situation: Situation; offence?: string };

const HOUR_MS = 3_600_000;
/** Errors of a provider that does not respond, or contradicts itself. */
const HEARD = /^(No answer|The provider (has no such|no longer finds the|accepted the cancellation).*)\.$/;

type Row = typeof payout.$inferSelect;

/** The id of an attempt. Decimal digits are hexadecimal digits as well. */
const payoutIdOf = (slot: number, attempt: number): string =>
  `payout_${String(slot).padStart(16, "0")}${String(attempt).padStart(16, "0")}`;

/** A payout is planned from a settlement that has two halves, of which a reorg may leave one. */
const toPercent = (units: bigint, { settlementAmount }: Row): number =>
  Number((units * BigInt(HALF)) / settlementAmount);
const toUnits = (percent: number, { terms }: TestIntent): bigint => (terms.amount * BigInt(percent)) / 100n;

const attemptOf = (row: Row): Attempt => ({
  state: row.state,
  providerId: row.providerId,
  account: row.account,
  called: row.calledAt !== null,
  declinedCalls: row.declinedCalls,
  spentCall: row.spentCall,
  blocked: row.blocked !== null,
  refunded: row.refunded,
  retried: row.retried,
  external: row.externalReference !== null,
  due: row.nextAttemptAt !== null,
  final: row.finalAt !== null,
  amount: toPercent(row.amount, row),
  deducted: toPercent(row.deducted, row),
  fee: toPercent(row.fee, row),
});

/** Returns the row of an attempt. Columns that the state does not contain have the values of a new row. */
function rowOf(attempt: Attempt, number: number, slot: number, made: TestIntent) {
  const { id: intentId, orderId } = made;
  const { called, blocked, external, due, final, amount, deducted, fee, ...same } = attempt;
  const now = new Date();
  return {
    ...same,
    ...{ id: payoutIdOf(slot, number), reference: `ref_${slot}_${number}`, intentId, attempt: number },
    ...{ settlementNumber: 1, settlementTxHash: settlementTxHash(orderId) },
    ...{ settledAt: new Date(timeOf(0) * 1_000), settlementAmount: toUnits(HALF, made) },
    ...{ amount: toUnits(amount, made), deducted: toUnits(deducted, made), fee: toUnits(fee, made) },
    ...{ method: "OFF_RAMP_MOCK" as const, destination: "bank_account_123", currency: "USDC" as const },
    calledAt: called ? now : null,
    blocked: blocked ? "blocked" : null,
    // The provider never reports a debit. Only operators confirm it, which does not change what happens to the payout.
    awaitsFunds: same.state === "submitted",
    failure: same.state === "failed" || same.state === "returned" ? "refused by the bank" : null,
    externalReference: external ? "by hand" : null,
    nextAttemptAt: due ? new Date(now.getTime() - HOUR_MS) : null,
    completedAt: same.state === "completed" || same.state === "returned" ? now : null,
    finalAt: final ? new Date(now.getTime() + HOUR_MS) : null,
  };
}

/** @throws the error, unless it is a rejection or a missing response */
function requireExpected(error: unknown): void {
  if (!(error instanceof UserError || (error instanceof Error && HEARD.test(error.message)))) throw error;
}

export class Slots {
  private readonly desks: Desk[] = [];
  private readonly settlements: (typeof chain.settlement.$inferSelect)[] = [];
  private constructor(
    private readonly world: World,
    private readonly intents: TestIntent[],
    private readonly pay: (ids: string[]) => Promise<void>,
  ) {}

  static async open(count: number): Promise<Slots> {
    let slots: Slots | undefined;
    const provider = misbehavingProvider((reference) => {
      const [, slot, attempt] = reference.split("_").map(Number);
      const desk = slots?.desks[slot as number];
      if (!desk) throw new Error(`Nobody is at ${reference}.`);
      return { desk, attempt: attempt as number };
    });
    const world = await makeWorld({ offRamps: () => () => provider });
    const intents: TestIntent[] = [];
    for (let slot = 0; slot < count; slot++) {
      const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
      await world.chain.fund(made.orderId, made.terms, 1, PAYER);
      const half = { block: 10, amount: toUnits(HALF, made), txHash: settlementTxHash(made.orderId) };
      await world.chain.settleAll(made.orderId, made.terms, [half, half]);
      intents.push(made);
    }
    await world.chain.head(20);
    const pay = createPayoutHandler(world.context, () => undefined, { leaseMs: 120_000, answerMs: 30_000 });
    slots = new Slots(world, intents, pay);
    slots.settlements.push(...(await world.context.database.select().from(chain.settlement)));
    return slots;
  }

  get count(): number {
    return this.intents.length;
  }

  close(): Promise<void> {
    return this.world.close();
  }

  /** Executes each move on its own situation. */
  async run(jobs: readonly Job[]): Promise<Outcome[]> {
    await this.arrange(jobs);
    const workers = jobs.flatMap(({ situation, move }, slot) =>
      move.kind === "worker" ? [payoutIdOf(slot, situation.attempts.length)] : [],
    );
    if (workers.length > 0) await this.pay(workers);
    await Promise.all(jobs.map((job, slot) => this.operate(job, slot)));
    return this.observe(jobs.length);
  }

  private async arrange(jobs: readonly Job[]): Promise<void> {
    const { database } = this.world.context;
    const used = this.intents.slice(0, jobs.length);
    const orders = used.map(({ orderId }) => orderId);
    await database.delete(payout).where(
      inArray(
        payout.intentId,
        used.map(({ id }) => id),
      ),
    );
    await database.delete(chain.settlement).where(inArray(chain.settlement.orderId, orders));
    const left = new Map(jobs.map(({ situation }, slot) => [orders[slot], situation.settled]));
    const settled = this.settlements.filter(
      ({ orderId, number }) => number * HALF <= (left.get(orderId) ?? 0),
    );
    if (settled.length > 0) await database.insert(chain.settlement).values(settled);
    await database
      .insert(payout)
      .values(
        jobs.flatMap(({ situation }, slot) =>
          situation.attempts.map((one, index) => rowOf(one, index + 1, slot, used[slot] as TestIntent)),
        ),
      );
    for (const [slot, { situation, move }] of jobs.entries()) {
      this.desks[slot] = {
        ...{ situation, behaviour: move.behaviour, operator: move.kind === "ops" },
        stealLease: async (attempt) => {
          await database
            .update(payout)
            .set({ leasedUntil: null })
            .where(eq(payout.id, payoutIdOf(slot, attempt)));
        },
        interleave: (what, attempt) => this.interleave(what, slot, attempt),
      };
    }
  }

  /** Executes an operator's command. It may be executed, rejected with a message, or prevented by the provider. */
  private async operate({ situation, move }: Job, slot: number): Promise<void> {
    if (move.kind !== "ops") return;
    const { database, offRamps } = this.world.context;
    const id = payoutIdOf(slot, situation.attempts.length);
    const { bearer: feeBearer } = move;
    const chain = async () => this.world.context;
    const parts = { database, offRamps: async () => offRamps, feeBearer, chain };
    const { state, fee, amount } = latest(situation);
    // The merchant may bear the fee of a returned payout; a failed payout is owed in full.
    const isConsumed = feeBearer === "merchant" && state === "returned" && fee >= amount;
    const owed = isConsumed ? 0 : amount;
    const controlled = async (
      command: "fail" | "settle-externally" | "reorder" | "confirm-debit",
      manual = owed,
    ) => {
      const date = new Date().toISOString().slice(0, 10);
      const given = { reference: "by hand", amount: `${manual}.00`, date };
      const { weigh, describe, carryOut } = CONTROLLED[command] as Controlled;
      const asked = { subject: id, arguments: given, by: "Ada" };
      await weigh(parts, asked);
      const described = { ...given, ...(await describe?.(parts, asked)) };
      await carryOut(parts, { ...asked, arguments: described }, async () => undefined);
    };
    try {
      switch (move.command) {
        case "retry":
          await retryPayouts(database, (this.intents[slot] as TestIntent).id, feeBearer, "Ada");
          break;
        case "refresh":
          await refreshPayout(database, id, "Ada");
          break;
        case "cancel":
          await this.cancel(slot, situation.attempts.length);
          break;
        case "confirm-debit":
          await controlled(move.command);
          this.requirePending(slot, situation.attempts.length);
          break;
        case "settle-externally":
          if (owed > situation.settled) {
            await this.requireRejected(slot, controlled(move.command));
            await controlled(move.command, situation.settled);
          } else await controlled(move.command);
          break;
        default:
          await controlled(move.command);
      }
    } catch (error) {
      requireExpected(error);
    }
  }

  /** Operators may not pay manually more than what is settled. */
  private async requireRejected(slot: number, payment: Promise<void>): Promise<void> {
    const isRejected = await payment.then(
      () => false,
      (error: unknown) => error instanceof UserError,
    );
    if (!isRejected) (this.desks[slot] as Desk).offence = "more is paid manually than is settled";
  }

  /** Operators may confirm the debit only of a transfer that the provider reports as pending. */
  private requirePending(slot: number, attempt: number): void {
    const desk = this.desks[slot] as Desk;
    const call = desk.situation.calls.find((one) => one.attempt === attempt && isTransfer(one));
    if (call?.state !== "pending") desk.offence = "a debit is confirmed, although no transfer is pending";
  }

  /** Executes what happens while the provider handles a request of another process. */
  private async interleave(what: Meanwhile, slot: number, attempt: number): Promise<void> {
    if (what === "cancel_before" || what === "cancel_after") {
      await this.cancel(slot, attempt).catch(requireExpected);
      return;
    }
    await this.pay([payoutIdOf(slot, attempt)]);
    if (what === "poll") return;
    const { id } = this.intents[slot] as TestIntent;
    await retryPayouts(this.world.context.database, id, "merchant", "Ada").catch(requireExpected);
  }

  /** Cancels a payout, and compares the reported outcome with the provider's book. */
  private async cancel(slot: number, attempt: number): Promise<void> {
    const { database, offRamps } = this.world.context;
    const desk = this.desks[slot] as Desk;
    const { cancel } = desk.behaviour;
    const failure = await cancelPayout(database, offRamps, payoutIdOf(slot, attempt), "Ada").then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    const call = desk.situation.calls.find((one) => one.attempt === attempt && isTransfer(one));
    const claims: [isClaimed: boolean, isTrue: boolean][] = [
      [failure === undefined, call?.cancellation === "done" || call?.falselyCanceled === true],
      [/^Not canceled/.test(failure?.message ?? ""), call?.state === "failed" && !call.cancellation],
      [/^Too late: the provider/.test(failure?.message ?? ""), REJECTED.has(cancel)],
      [/^Too late: it is completed/.test(failure?.message ?? ""), call?.state === "completed"],
    ];
    if (claims.some(([isClaimed, isTrue]) => isClaimed && !isTrue))
      desk.offence = `operations see "${failure?.message ?? "canceled"}", and that is wrong`;
    if (failure) throw failure;
  }

  private async observe(count: number): Promise<Outcome[]> {
    const rows = await this.world.context.database.select().from(payout).orderBy(asc(payout.attempt));
    return this.intents.slice(0, count).map(({ id }, slot) => {
      const { situation, offence } = this.desks[slot] as Desk;
      const attempts = rows.filter((row) => row.intentId === id).map(attemptOf);
      return { situation: { ...situation, attempts }, ...(offence !== undefined && { offence }) };
    });
  }
}
