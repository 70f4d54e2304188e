// Amounts that the page computes, in the token's smallest unit.
import { parseUnits } from "viem";
import { type Currency, decimalsOf } from "#core/money.ts";
import type { Checkout } from "./checkout.ts";
import type { Verified } from "./verify.ts";

export const toUnits = (decimal: string, currency: Currency): bigint =>
  parseUnits(decimal, decimalsOf(currency));

/** Returns the amount that is neither released nor refunded. */
export function computeRest({ data: { order, currency } }: Checkout, { terms }: Verified): bigint {
  if (!order) return terms.amount;
  return terms.amount - toUnits(order.released, currency) - toUnits(order.refunded, currency);
}
