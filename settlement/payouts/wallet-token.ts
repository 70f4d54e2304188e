// Identifies the balance from which payouts are paid.
import type { Address } from "viem";

/** One token in one off-ramp wallet. */
export type WalletToken = { token: Address; offRamp: Address };
