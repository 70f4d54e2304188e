// What each operation may cost, and what the like of it costs in commerce-payments.

/** Bars: issue 3, item 4. References: commerce-payments, plain ERC-20, measured the same way. */
export const bars: Record<string, { bar?: number; theirs?: [string, number] }> = {
  createOrder: { bar: 85_000 },
  createOrderFor: { bar: 100_000 },
  createOrderForWithPermit: {},
  createOrderWithAuthorization: { bar: 110_000, theirs: ["authorize, ERC-3009", 122_030] },
  markShipped: {},
  submitDeliveryProof: {},
  submitDeliveryProofAndRelease: { bar: 44_000 },
  release: {},
  releaseMilestone: {},
  settleBatchOf20PerOrder: { bar: 16_000, theirs: ["capture", 57_539] },
  settleOne: { theirs: ["capture", 57_539] },
  withdraw: { theirs: ["capture", 57_539] },
  refund: { theirs: ["void", 54_841] },
  reclaim: { bar: 47_000, theirs: ["reclaim", 54_909] },
  reclaimAmongOthers: { theirs: ["reclaim", 54_909] },
  raiseDispute: {},
  resolveDisputeSplit: {},
  wholeLifePayerCalls: { bar: 142_000, theirs: ["authorize + capture", 179_569] },
  wholeLifeRelayed: { bar: 157_000, theirs: ["authorize + capture", 179_569] },
};
