// What a settlement is paid out in: each milestone by itself, because the merchant was promised each by itself, although
// the contract settles all that was released since the last time together.

const larger = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Milestones are released in order, anything else after them, and a settlement takes all that is released: so
 * settlements and milestones both follow each other without gaps on one line of units, from the first to the last.
 * @param settlement what it took, and how much the order's earlier settlements had taken
 * @param milestones the amount of each release, in order
 * @returns amounts that make up the settlement
 */
export function partsOf(
  { before, amount }: { before: bigint; amount: bigint },
  milestones: readonly bigint[],
): bigint[] {
  const end = before + amount;
  const parts: bigint[] = [];
  let place = 0n;
  for (const milestone of milestones) {
    const part = smaller(place + milestone, end) - larger(place, before);
    if (part > 0n) parts.push(part);
    place += milestone;
  }
  const rest = end - larger(place, before);
  return rest > 0n ? [...parts, rest] : parts;
}
