// Finds confirmed on-chain settlements that payouts do not cover, and creates one payout for each part. The row and its
// job are written in one transaction; a worker handles the job with pay-out.ts (workers.ts). On-chain settlement always
// precedes the fiat payment (docs/architecture.md).
import { asc, sql } from "drizzle-orm";
import { fromDrizzle } from "pg-boss";
import { inSlices } from "#core/db/batch.ts";
import type { Transaction } from "#core/db/client.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, type OrderId, orderIdOfIntent, toFactId } from "#core/ids.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { Context } from "../runtime/context.ts";
import { Problems } from "../runtime/problems.ts";
import { Unanswered } from "../runtime/unanswered.ts";
import { nextBlock, type Outcome, type Refusal } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { buildPayouts } from "./build-payouts.ts";
import { createAccountChoice } from "./choose-accounts.ts";
import { findUncovered } from "./find-uncovered.ts";
import { type Part, p, partsWhere, type Settlement } from "./payment-parts.ts";
import { enqueuePayouts } from "./payout-queue.ts";
import { createPaymentReader, type SettledPayment } from "./read-payments.ts";
import { createSettlementVerifier, NOT_DEEP } from "./verify-receipt.ts";

/** Number of orders whose settlements are planned in one transaction. */
const AT_ONCE = 200;
/**
 * Number of payouts per statement. The insertion of a payout reads about 85 pages with a million payments in the database,
 * including those of its triggers, and a statement should read at most 2,000.
 */
const PAYOUTS_AT_ONCE = 20;

/** All receipts count together (runtime/unanswered.ts). */
const RECEIPTS = "receipts";

/** Locks the intents, so that no other process plans payouts for them at the same time, and reads their payouts. */
async function lockParts(tx: Transaction, ids: IntentId[]): Promise<Map<IntentId, Part[]>> {
  await tx
    .select({ id: intent.id })
    .from(intent)
    .where(isAmong(intent.id, ids))
    .orderBy(asc(intent.id))
    .for("no key update");
  const [row] = await tx.select({ parts: partsWhere(isAmong(p.intentId, ids)) }).from(sql`(select 1) one`);
  return Map.groupBy(row?.parts ?? [], ({ intentId }) => intentId);
}

/** Payments with the numbers of their settlements that are confirmed and verified. */
type Verified = Map<SettledPayment, Set<number>>;

/**
 * Creates the check of one run's settlements.
 * @returns a function that returns the reason why a settlement may not be paid out now; undefined if it may. It throws a
 * ServiceError if the node does not respond at all.
 */
function createCheck(context: Context) {
  const verify = createSettlementVerifier(context);
  const unanswered = new Unanswered(() => context.client.getBlockNumber({ cacheTime: 0 }));
  return async (settlement: Settlement, attempts: number): Promise<Refusal | undefined> => {
    if (attempts > 0 && unanswered.isFull(RECEIPTS)) {
      return { refused: "The node did not return the receipts of other settlements.", untried: true };
    }
    try {
      const problem = await verify(settlement);
      return problem === undefined ? undefined : { refused: problem };
    } catch (error) {
      return unanswered.refuse(RECEIPTS, "The node did not return the settlement's receipt.", error);
    }
  };
}

/** Returns a handler that creates the payouts of an order's confirmed settlements. */
export function createPayoutPlanner(context: Context): WorkHandler {
  const { database, boss, log, config } = context;
  const read = createPaymentReader(context);
  const problems = new Problems(log);
  const choose = createAccountChoice(context.offRamps);

  async function plan(verified: Verified): Promise<void> {
    const made = await database.transaction(async (tx) => {
      const ids = [...verified.keys()].map((payment) => payment.intent.id);
      const parts = await lockParts(tx, ids);
      // Another process may have planned payouts since, from a different state of the chain.
      const planned = [...verified].flatMap(([payment, numbers]) =>
        findUncovered(payment.settlements, parts.get(payment.intent.id) ?? [])
          .filter(({ settlement }) => numbers.has(settlement.number))
          .flatMap((uncovered) =>
            buildPayouts(context, payment, uncovered).map((row) => ({
              ...row,
              fundedAt: uncovered.settlement.offRamp,
            })),
          ),
      );
      if (planned.length === 0) return [];
      const choices = await choose(tx, planned);
      const inserted: (typeof payout.$inferSelect)[] = [];
      for (const some of inSlices(planned, PAYOUTS_AT_ONCE)) {
        const rows = await tx
          .insert(payout)
          // Payouts are bound to accounts here, so that a claim does not have to change an index.
          .values(some.map((row) => ({ ...row, ...choices.get(row.id), ...dueNow })))
          .returning();
        inserted.push(...rows);
      }
      const due = inserted.map(({ id, reference, nextAttemptAt }) => ({
        id,
        reference,
        dueAt: nextAttemptAt ?? new Date(),
      }));
      await enqueuePayouts(boss, due, undefined, fromDrizzle(tx, sql));
      return inserted;
    });
    for (const { id, intentId, settlementNumber, reference } of made) {
      const settlement = toFactId(orderIdOfIntent(intentId), settlementNumber);
      log.info({ payout: id, intent: intentId, settlement, reference }, "payout planned");
    }
  }

  return {
    atOnce: AT_ONCE,
    async handle(items, head) {
      const outcomes = new Map<OrderId, Outcome>();
      const { head: indexed, payments } = await read(items.map(({ orderId }) => orderId));
      const attempts = new Map(items.map((item) => [item.orderId, item.attempts]));
      const check = createCheck(context);
      const verified: Verified = new Map();
      for (const payment of payments) {
        for (const { settlement } of findUncovered(payment.settlements, payment.parts)) {
          const { orderId, number, block } = settlement;
          const subject = `settlement ${toFactId(orderId, number)}`;
          const confirmed = countConfirmations(indexed, block) >= config.chain.confirmations;
          const refusal = confirmed ? await check(settlement, attempts.get(orderId) ?? 0) : undefined;
          const isDeep = confirmed && refusal?.refused !== NOT_DEEP;
          if (refusal && isDeep) problems.report(subject, new Error(refusal.refused));
          else problems.resolve(subject);
          if (!isDeep) outcomes.set(orderId, nextBlock(head));
          else if (refusal) outcomes.set(orderId, refusal);
          else verified.set(payment, (verified.get(payment) ?? new Set()).add(number));
        }
      }
      if (verified.size > 0) await plan(verified);
      return outcomes;
    },
  };
}
