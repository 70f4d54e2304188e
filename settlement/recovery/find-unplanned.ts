// Finds payouts that the database has lost: those that a provider has, and those that are missing for what was settled.
import { inSlices } from "#core/db/batch.ts";
import { type OrderId, orderIdOfIntent, toFactId } from "#core/ids.ts";
import { findUncovered } from "../payouts/find-uncovered.ts";
import { createPaymentReader, type SettledPayment } from "../payouts/read-payments.ts";
import type { Context } from "../runtime/context.ts";
import { findCandidates } from "./find-candidates.ts";
import { countMilestones, findKnown, type Known, selectKnown, toPart } from "./find-known-payouts.ts";
import { type Pay, rebuildPart, store, type Transfers } from "./find-lost-payouts.ts";
import type { Rebuilt } from "./rebuild-attempts.ts";
import type { Repair } from "./repair.ts";

export type Plan = (orderId: OrderId) => Promise<void>;

/** Number of payments that are read at a time. */
const PAYMENTS = 200;

type Means = { transfers: Transfers; pay: Pay; plan: Plan };

/**
 * Finds payments that lack payouts and, as long as transfers are unmatched, payments whose payouts a provider has transferred under
 * numbers that a reorg has removed.
 */
export async function findUnplanned(
  context: Context,
  since: Date,
  transfers: Transfers,
  pay: Pay,
  plan: Plan,
): Promise<Repair[]> {
  const read = createPaymentReader(context);
  const repairs: Repair[] = [];
  for (const ids of inSlices(await findCandidates(context, since, transfers), PAYMENTS)) {
    const { payments, head } = await read(ids.map(orderIdOfIntent));
    const milestones = await countMilestones(context, ids);
    repairs.push(
      ...payments.flatMap((payment) => {
        const known = findKnown(context, payment, milestones.get(payment.intent.id), head, transfers);
        return repairPayment(context, payment, known, { transfers, pay, plan }) ?? [];
      }),
    );
  }
  return repairs;
}

function repairPayment(
  context: Context,
  payment: SettledPayment,
  found: readonly Known[],
  means: Means,
): Repair | undefined {
  const { settlements, parts, intent: row } = payment;
  const missing = findUncovered(settlements, parts);
  const known = selectKnown(context, payment, found).map((one) => ({
    ...one,
    lost: rebuildPart(context, one.slot, one.found, means.transfers),
  }));
  const stored = known.map(({ slot }) => toPart(slot));
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
  const rebuilt: Rebuilt = { rows: [], toAsk: [] };
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
