// The columns of a payout that has ended or is not ordered: it holds no funds of its wallet
// (settlement/payouts/allocate-funds.ts).
export const noAllocation = { allocated: false, awaitsFunds: false } as const;
