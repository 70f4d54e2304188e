// Where funds are that payouts are paid from.
import type { Address } from "viem";

/** One token at one off-ramp. */
export type Place = { token: Address; offRamp: Address };
