// Switches that each remove one fix from the model. Each switch changes one guard or effect, at the place that reads
// it. The tests show that the search then finds the vulnerability again.

export const FIXES = [
  /** A valid proof by the payee counts on every release type, and an expired dispute ignores who raised it. */
  "F1",
  /** The payee or the operator can mark an order as shipped although it has an independent oracle. */
  "F3",
  /** An oracle's proof in a dispute has no deadline. */
  "F4",
  /** A dispute is possible although the payer can already reclaim. */
  "F5",
  /** An oracle's milestone signature names an index, and is void once the payer has released that milestone. */
  "F6",
  /** Every configured oracle counts as independent. */
  "F9",
  /** A dispute is possible although the payee's exit is already open. */
  "payee's exit stays",
  /** If a dispute raised by the merchant's side expires, a proven order pays the payee. */
  "own dispute resumes",
  /** Only the payer and the operator can release a proven order. */
  "payee releases a proven order",
  /** A dispute leaves the delivery deadline unchanged. */
  "dispute extends the deadline",
  /** The merchant's own dispute may outlast a time lock. */
  "merchant's dispute ends before the lock",
  /** The operator may be the arbiter. */
  "operator is not the arbiter",
] as const;
export type Fix = (typeof FIXES)[number];
