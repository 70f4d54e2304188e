// Finds the amounts of a payment's settlements that its payouts do not cover yet.
import { larger } from "#core/money.ts";
import { type Part, type Settlement, sum } from "./payment-parts.ts";

type Covered = Pick<Settlement, "number" | "amount">;
type Planned = Pick<Part, "number" | "part" | "amount">;

/** An amount for which payouts have to be planned: the end of a settlement. */
export type Uncovered<S extends Covered> = {
  settlement: S;
  /** The total of the payment's earlier settlements. */
  before: bigint;
  amount: bigint;
  /** The payouts that the settlement has. */
  own: Planned[];
};

/**
 * A deep reorg can change the numbers and amounts of settlements after their payouts were planned: several settlements become
 * one, or one becomes several. Payouts that exceed their settlement, or whose settlement is gone, therefore cover the
 * other settlements of the payment, lowest number first. Altogether, payouts are planned for exactly what was settled.
 * @param settlements all settlements of the payment, in order
 */
export function findUncovered<S extends Covered>(
  settlements: readonly S[],
  planned: readonly Planned[],
): Uncovered<S>[] {
  const plans = Map.groupBy(planned, ({ number }) => number);
  const amounts = new Map(settlements.map(({ number, amount }) => [number, amount]));
  let excess = 0n;
  for (const [number, parts] of plans) excess += larger(0n, sum(parts) - (amounts.get(number) ?? 0n));
  const found: Uncovered<S>[] = [];
  let before = 0n;
  for (const settlement of settlements) {
    const own = plans.get(settlement.number) ?? [];
    const missing = larger(0n, settlement.amount - sum(own));
    const amount = larger(0n, missing - excess);
    excess -= missing - amount;
    if (amount > 0n) found.push({ settlement, before, amount, own });
    before += settlement.amount;
  }
  return found;
}

/**
 * Splits an uncovered amount into new parts. If the settlement's payouts are as they would be planned now, the missing ones have the
 * numbers that they had if the database has lost them, so that the provider finds their transfers by reference.
 * @param split splits a range of the payment into the amounts of parts
 */
export function splitUncovered<S extends Covered>(
  { settlement, before, amount, own }: Uncovered<S>,
  split: (range: { before: bigint; amount: bigint }) => bigint[],
): { part: number; amount: bigint }[] {
  const fresh = split({ before, amount: settlement.amount });
  const known = new Set(own.map(({ part }) => part));
  const missing = fresh
    .map((partAmount, part) => ({ part, amount: partAmount }))
    .filter(({ part }) => !known.has(part));
  if (own.every((one) => fresh[one.part] === one.amount) && sum(missing) === amount) return missing;
  const next = Math.max(-1, ...known) + 1;
  const rest = { before: before + settlement.amount - amount, amount };
  return split(rest).map((partAmount, index) => ({ part: next + index, amount: partAmount }));
}
