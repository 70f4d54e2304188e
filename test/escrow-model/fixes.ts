// Switches that remove one fix from the model. Each changes one guard or effect, named where it is read; the tests
// show that the search finds each hole again.

export const FIXES = [
  /** A valid proof by the payee counts on every release type, and an expired dispute ignores who raised it. */
  "F1",
  /** The payee or the operator ships an order that has an independent oracle. */
  "F3",
  /** An oracle's proof in a dispute has no deadline. */
  "F4",
  /** A dispute is possible although the payer's reclaim is open. */
  "F5",
  /** An oracle's milestone signature names an index, and is void once the payer has released that milestone. */
  "F6",
  /** Every oracle that is set counts as independent. */
  "F9",
  /** A dispute is possible although the payee's exit is open. */
  "payee's exit stays",
  /** An expired dispute of the merchant's own side pays a proven order to the payee. */
  "own dispute resumes",
  /** Only payer and operator release a proven order. */
  "payee releases a proven order",
  /** A dispute leaves the delivery deadline unchanged. */
  "dispute moves the deadline",
  /** The merchant's own dispute may outlast a lock. */
  "merchant's dispute ends before the lock",
  /** The operator may be the arbiter. */
  "operator is no arbiter",
] as const;
export type Fix = (typeof FIXES)[number];
