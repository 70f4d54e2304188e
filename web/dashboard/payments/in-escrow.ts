// Computes the amount of a payment that is still in escrow, neither released nor refunded.
import { type Currency, formatAmount, parseAmount } from "#core/money.ts";
import type { Schemas } from "#sdk/index.ts";

type Amounts = Pick<Schemas["ConditionalPayment"]["data"], "amount" | "releasedAmount" | "refundedAmount">;

/** @returns a decimal string */
export function inEscrow({ amount, releasedAmount, refundedAmount }: Amounts, currency: Currency): string {
  const units = (decimal: string): bigint => {
    const parsed = /[1-9]/.test(decimal) ? parseAmount(decimal, currency) : 0n;
    if (typeof parsed !== "bigint") throw new Error(`The gateway returned an invalid amount: ${parsed}.`);
    return parsed;
  };
  return formatAmount(units(amount) - units(releasedAmount) - units(refundedAmount), currency);
}
