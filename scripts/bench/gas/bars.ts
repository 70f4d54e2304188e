// The maximum cost of each operation, and the cost of its equivalent in commerce-payments.

/**
 * Each bar is at most a few percent above the current cost, so that an increase does not go unnoticed
 * (contracts/README.md, "Gas"). References: commerce-payments with a plain ERC-20, measured the same way.
 */
export const bars: Record<string, { bar?: number; theirs?: [string, number] }> = {
  createOrder: { bar: 81_000 },
  createOrderFor: { bar: 89_500 },
  createOrderForWithPermit: {},
  createOrderWithAuthorization: { bar: 108_500, theirs: ["authorize, ERC-3009", 122_030] },
  markShipped: {},
  submitDeliveryProof: {},
  submitDeliveryProofAndRelease: { bar: 39_200 },
  release: {},
  releaseMilestone: {},
  settleBatchOf20PerOrder: { bar: 11_800, theirs: ["capture", 57_539] },
  settleOne: { theirs: ["capture", 57_539] },
  withdraw: { theirs: ["capture", 57_539] },
  refund: { theirs: ["void", 54_841] },
  reclaim: { bar: 46_500, theirs: ["reclaim", 54_909] },
  reclaimAmongOthers: { theirs: ["reclaim", 54_909] },
  raiseDispute: {},
  resolveDisputeSplit: {},
  fullLifePayerCalls: { bar: 132_000, theirs: ["authorize + capture", 179_569] },
  fullLifeRelayed: { bar: 140_500, theirs: ["authorize + capture", 179_569] },
};
