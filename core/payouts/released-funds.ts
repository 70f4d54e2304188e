// A payout that has ended or is not ordered holds no funds of its wallet (settlement/payouts/allocate-funds.ts).
export const releasedFunds = { allocated: false, awaitsFunds: false } as const;
