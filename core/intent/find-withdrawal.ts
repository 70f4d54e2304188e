// Released funds that cannot be paid out in fiat. They are not settled, and the payee withdraws them on chain.
import type { StoredTerms } from "../chain/terms.ts";
import type { Config } from "../config/config.ts";
import type { OrderRow } from "../db/chain.ts";
import { findAmountProblem } from "../off-ramp/quotes-and-limits.ts";
import { LOST_DESTINATION } from "./lost-destination.ts";
import type { IntentRow } from "./read-intent.ts";

type Released = Pick<OrderRow, "released" | "settled" | "withdrawn">;
type PaidOut = Pick<IntentRow, "settlementMethod" | "currency"> &
  Partial<Pick<IntentRow, "settlementDestination">> & { terms?: Pick<StoredTerms, "offRamp"> };

/** `amount` in the token's smallest unit. */
export type Withdrawal = { amount: bigint; reason: string };

/**
 * Finds released funds that the payee must withdraw. An arbiter's split or an on-chain release may have any amount,
 * while a bank requires a minimum and whole cents. The bank account may also have been lost with the database.
 * @returns undefined if nothing is released, or if the settlement method can pay out the amount
 */
export function findWithdrawal(
  config: Pick<Config, "minimums"> & Partial<Pick<Config, "accounts">>,
  { settlementMethod: method, currency, settlementDestination, terms }: PaidOut,
  order: Released | null,
): Withdrawal | undefined {
  if (!order || order.withdrawn > 0n || order.released <= order.settled) return undefined;
  const amount = order.released - order.settled;
  if (settlementDestination === LOST_DESTINATION) return { amount, reason: "The bank account is unknown" };
  const reason = findAmountProblem(config, {
    method,
    currency,
    amount,
    ...(terms && { wallet: terms.offRamp }),
  });
  return reason === undefined ? undefined : { amount, reason };
}
