// The contract's order statuses by name (contracts/IDeliveryVsPayment.sol).
export const Status = {
  Created: 0,
  Shipped: 1,
  Delivered: 2,
  AwaitingSettlement: 3,
  Completed: 4,
  Cancelled: 5,
  Disputed: 6,
} as const;

/** The contract's release types that the indexer distinguishes. */
export const ReleaseType = { TimeLocked: 1, MilestoneLocked: 2 } as const;
