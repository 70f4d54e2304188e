// The balance that payouts are paid from.
import type { Address } from "viem";

/** One token at one off-ramp. */
export type WalletToken = { token: Address; offRamp: Address };
