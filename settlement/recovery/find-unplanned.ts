// Finds payouts that the database has lost: those that a provider has, and those that are missing for what was settled.
import { and, eq, gt, sql } from "drizzle-orm";
import { inSlices } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { type OrderId, orderIdOfIntent, toFactId } from "#core/ids.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { buildPayouts } from "../payouts/build-payouts.ts";
import { findUncovered } from "../payouts/find-uncovered.ts";
import { createPaymentReader, type SettledPayment } from "../payouts/read-payments.ts";
import type { Context } from "../runtime/context.ts";
import { plannedAmount } from "../runtime/planned-amount.ts";
import { MOST_PARTS, type Pay, rebuildPart, store, type Transfers } from "./find-lost-payouts.ts";
import { findAttempts, type Rebuilt, type Slot } from "./rebuild-attempts.ts";
import type { Repair } from "./repair.ts";

export type Plan = (orderId: OrderId) => Promise<void>;

/** Number of payments that are read at a time. */
const PAYMENTS = 200;

type Means = { transfers: Transfers; pay: Pay; plan: Plan };

/**
 * How many more settlements, and parts of a settlement, a payment may have had before a reorg than it has now, if it lacks
 * no payouts. If it does, all numbers up to MOST_PARTS are searched.
 */
const MORE_BEFORE = 3;

/**
 * Finds payments that lack payouts, and payments whose payouts a provider has transferred under numbers that a reorg has removed, as
 * long as transfers are unmatched.
 */
export async function findUnplanned(
  context: Context,
  since: Date,
  transfers: Transfers,
  pay: Pay,
  plan: Plan,
): Promise<Repair[]> {
  const { database, deployment } = context;
  const orders = await database
    .selectDistinct({ orderId: chain.settlement.orderId })
    .from(chain.settlement)
    .innerJoin(intent, and(eq(intent.id, chain.settlement.orderId), eq(intent.deploymentId, deployment.id)))
    .innerJoin(chain.order, eq(chain.order.id, intent.id))
    .where(
      and(
        sql`${chain.settlement.settledAt} >= ${toUnixSeconds(since)}`,
        transfers.size > 0 ? undefined : gt(chain.order.settled, plannedAmount(intent.id)),
      ),
    );
  const read = createPaymentReader(context);
  const repairs: Repair[] = [];
  for (const some of inSlices(orders, PAYMENTS)) {
    const { payments } = await read(some.map(({ orderId }) => orderId));
    repairs.push(
      ...payments.flatMap((payment) => repairPayment(context, payment, { transfers, pay, plan }) ?? []),
    );
  }
  return repairs;
}

/**
 * Lists the payouts that a provider has. A reorg may have divided the settlements differently since they were planned, so
 * that some belong to settlements and parts that no longer exist: their amounts are those of their transfers.
 */
function listKnown(
  context: Context,
  payment: SettledPayment,
  expected: Slot[],
  transfers: Transfers,
): Slot[] {
  const { intent: row, settlements, parts } = payment;
  const [last] = settlements.slice(-1);
  if (!last || transfers.size === 0) return [];
  const numbers = parts.flatMap(({ number, part }) => [number, part + 1]);
  const most = expected.length > 0 ? MOST_PARTS : Math.max(settlements.length, ...numbers) + MORE_BEFORE;
  const found: Slot[] = [];
  for (let number = 1; number <= most; number++) {
    for (let part = 0; part < most; part++) {
      if (parts.some((one) => one.number === number && one.part === part)) continue;
      const key = { intentId: row.id, settlementNumber: number, part };
      const [first] = findAttempts(context.deployment, key, 0, transfers).values();
      if (!first) continue;
      const slot = expected.find((one) => one.settlementNumber === number && one.part === part);
      found.push(
        slot ?? {
          ...key,
          settlementTxHash: last.txHash,
          settlementBlock: last.block,
          settledAt: new Date(last.settledAt * 1_000),
          settlementAmount: last.amount,
          method: row.settlementMethod,
          destination: row.settlementDestination,
          currency: row.currency,
          amount: first.transfer.amount,
          latest: null,
        },
      );
    }
  }
  return found;
}

function repairPayment(context: Context, payment: SettledPayment, means: Means): Repair | undefined {
  const { settlements, parts, intent: row } = payment;
  const missing = findUncovered(settlements, parts);
  const expected = missing.flatMap((uncovered) =>
    buildPayouts(context, payment, uncovered).map((one) => ({ ...one, latest: null })),
  );
  const known = listKnown(context, payment, expected, means.transfers).flatMap((slot) => {
    const lost = rebuildPart(context, slot, means.transfers);
    return lost ? { slot, lost } : [];
  });
  const stored = known.map(({ slot: { settlementNumber: number, part, amount } }) => ({
    number,
    part,
    amount,
  }));
  const rest = findUncovered(settlements, [...parts, ...stored]);
  const numbers = new Set([
    ...missing.map(({ settlement }) => settlement.number),
    ...stored.map(({ number }) => number),
  ]);
  const [first] = numbers;
  if (first === undefined) return undefined;
  const orderId = orderIdOfIntent(row.id);
  const says = [
    `Payouts of settlement ${[...numbers].map((number) => toFactId(orderId, number)).join(" and ")} are missing`,
    ...known.map(({ lost }) => lost.says),
  ].join("; ");
  const base = {
    kind: "settlement_without_payout",
    about: toFactId(orderId, first),
    says: `${says}.`,
  } as const;
  const rebuilt: Rebuilt = { rows: [], toAsk: [], endLatest: false };
  for (const { lost } of known) {
    if (typeof lost.rebuilt === "string") return { ...base, does: `Nothing: ${lost.rebuilt}.` };
    rebuilt.rows.push(...lost.rebuilt.rows);
    rebuilt.toAsk.push(...lost.rebuilt.toAsk);
  }
  const does = [
    rebuilt.rows.length > 0 &&
      "Stores the payouts with the provider's ids. Transfers that the provider already has are not ordered again.",
    rest.length > 0 && "Plans the payouts. A worker queries the provider by reference before it orders them.",
  ];
  return {
    ...base,
    does: does.filter((one) => one !== false).join(" "),
    async apply(note) {
      await context.database.transaction(async (tx) => {
        if (rebuilt.rows.length > 0) await store(tx, row.id, null, rebuilt);
        await note(tx);
      });
      await means.pay(rebuilt.toAsk);
      if (rest.length > 0) await means.plan(orderId);
    },
  };
}
