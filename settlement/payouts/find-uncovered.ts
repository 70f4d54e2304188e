// Finds the amounts of a payment's settlements that its payouts do not cover yet.

/** A settlement on chain, in the token's smallest unit. */
type Settlement = { number: number; amount: bigint };

/** The payouts that were planned for one settlement: the sum of their first attempts, and the number of the next part. */
export type Planned = { number: number; amount: string; nextPart: number };

/** An amount for which payouts have to be planned. */
export type Uncovered = {
  number: number;
  /** The settled amount of the payment that precedes this one. */
  before: bigint;
  amount: bigint;
  /** The number of the first new part. */
  firstPart: number;
};

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/**
 * A deep reorg can change the numbers and amounts of settlements after their payouts were planned: several settlements become
 * one, or one becomes several. Payouts that exceed their settlement, or whose settlement is gone, therefore cover the
 * other settlements of the payment, lowest number first. Altogether, payouts are planned for exactly what was settled.
 * @param settlements all settlements of the payment, in order
 */
export function findUncovered(settlements: readonly Settlement[], planned: readonly Planned[]): Uncovered[] {
  const plans = new Map(
    planned.map(({ number, amount, nextPart }) => [number, { amount: BigInt(amount), nextPart }]),
  );
  const amounts = new Map(settlements.map(({ number, amount }) => [number, amount]));
  let excess = 0n;
  for (const [number, { amount }] of plans) excess += larger(0n, amount - (amounts.get(number) ?? 0n));
  const found: Uncovered[] = [];
  let place = 0n;
  for (const { number, amount } of settlements) {
    const plan = plans.get(number);
    const own = plan?.amount ?? 0n;
    const missing = larger(0n, amount - own);
    const rest = larger(0n, missing - excess);
    excess -= missing - rest;
    if (rest > 0n)
      found.push({ number, before: place + amount - rest, amount: rest, firstPart: plan?.nextPart ?? 0 });
    place += amount;
  }
  return found;
}
