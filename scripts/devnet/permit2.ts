/** Permit2's address on every public chain. */
export const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
