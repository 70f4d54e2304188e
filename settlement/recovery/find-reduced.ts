// Finds payouts that were reduced after a deep reorg (payouts/reduce-payout.ts), and that the database has as they were
// planned: their transfers have smaller amounts.
import { and, eq, inArray, sql } from "drizzle-orm";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { sum } from "../payouts/payment-parts.ts";
import { createPaymentReader, type SettledPayment } from "../payouts/read-payments.ts";
import { noteReduction } from "../payouts/reduce-payout.ts";
import { createSettlementVerifier, type SettlementVerifier } from "../payouts/verify-receipt.ts";
import { formatMoney } from "../reconciliation/discrepancy.ts";
import type { Context } from "../runtime/context.ts";
import type { Pay } from "./find-lost-payouts.ts";
import type { Behind } from "./read-transfers.ts";
import type { PayoutRow } from "./rebuild-attempts.ts";
import type { Note, Repair } from "./repair.ts";

/** Whether the gateway has not ordered the payout since it was planned, or already knows the transfer. */
const isUnordered = ({ calledAt, providerId }: PayoutRow): boolean =>
  calledAt === null || providerId !== null;

/**
 * Returns why the chain does not show that the payout was reduced. It does if the payment's settlements, up to one of
 * them, leave exactly the transfer's amount for it: later ones have settled the rest since.
 */
async function findContradiction(
  { config }: Pick<Context, "config">,
  { settlements, parts }: SettledPayment,
  { settlementNumber, part: own, deducted }: PayoutRow,
  { amount, head }: { amount: bigint; head: { block: number } },
  verify: SettlementVerifier,
): Promise<string | undefined> {
  const isBefore = ({ number, part }: { number: number; part: number }) =>
    number < settlementNumber || (number === settlementNumber && part < own);
  const others = parts.filter(({ number, part }) => number !== settlementNumber || part !== own);
  const funds = amount + deducted;
  const before = sum(others.filter(isBefore));
  const required = sum(others.filter((one) => isBefore(one) || one.mayBePaid));
  let settled = 0n;
  for (const settlement of settlements) {
    const isConfirmed = countConfirmations(head, settlement.block) >= config.chain.confirmations;
    const problem = isConfirmed ? await verify(settlement) : "a settlement of the payment is not confirmed";
    if (problem) return problem;
    settled += settlement.amount;
    if (settled - before === funds || settled - required === funds) return undefined;
  }
  return "the payment's settlements on chain do not leave this amount for it";
}

/** @param smaller payouts whose transfers have smaller amounts */
export async function findReduced(context: Context, smaller: readonly Behind[], pay: Pay): Promise<Repair[]> {
  if (smaller.length === 0) return [];
  const { database } = context;
  const read = createPaymentReader(context);
  const verify = createSettlementVerifier(context);
  const repairs: Repair[] = [];
  for (const { payout: known, transfer } of smaller) {
    const [row] = await database
      .select()
      .from(payout)
      .where(isAmong(payout.id, [known.id]));
    if (!row || !isUnordered(row)) continue;
    const { payments, head } = await read([orderIdOfIntent(row.intentId)]);
    const [payment] = payments;
    if (!payment) continue;
    const { id, intentId, currency } = row;
    const { amount, providerId, state } = transfer;
    const base = {
      kind: "payout_behind",
      about: id,
      says:
        `Payout ${id} of ${intentId} is ${row.state} with ${formatMoney(row.amount, currency)}, but the provider's transfer ` +
        `${providerId} for ${formatMoney(amount, currency)} is ${state}.`,
    } as const;
    const contradiction = await findContradiction(context, payment, row, { amount, head }, verify);
    if (contradiction !== undefined) {
      repairs.push({ ...base, does: `Nothing: ${contradiction}.` });
      continue;
    }
    repairs.push({
      ...base,
      does: "Reduces the payout to the transfer's amount, which the chain had left for it after a reorg.",
      async apply(note) {
        await reduce(context, row, amount, note);
        await pay([id]);
      },
    });
  }
  return repairs;
}

/** Reduces the payout, unless another process has changed it. */
async function reduce(
  context: Context,
  { id, intentId, amount: before }: PayoutRow,
  amount: bigint,
  note: Note,
): Promise<void> {
  await context.database.transaction(async (tx) => {
    await tx.select({ id: intent.id }).from(intent).where(eq(intent.id, intentId)).for("update");
    const isSame = and(
      eq(payout.id, id),
      eq(payout.amount, before),
      inArray(payout.state, ["created", "quarantined"]),
    );
    const [reduced] = await tx
      .update(payout)
      .set({ amount, ...dueNow, updatedAt: sql`clock_timestamp()` })
      .where(isSame)
      .returning();
    if (!reduced) return;
    await noteReduction(tx, context, reduced, before);
    await note(tx);
  });
}
