// Validates the amounts in requests and maps each problem to the error of the spec.
import type { Config } from "#core/config/config.ts";
import { invalidRequest, invalidRequestError } from "#core/errors.ts";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { type Currency, decimalsOf, parseAmount } from "#core/money.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";

/** @returns the amount in the smallest unit. @throws ServiceError 400 with param `amount` */
export function parseRequestAmount(text: string, currency: Currency, param = "amount"): bigint {
  const amount = parseAmount(text, currency);
  switch (amount) {
    case "not_positive":
      throw invalidRequestError(`Invalid ${param}: it must be greater than zero.`, param);
    case "malformed":
      throw invalidRequest(`Invalid ${param}: expected a positive decimal string such as "100.00".`, param);
    case "too_precise":
      throw invalidRequest(
        `Invalid ${param}: ${currency} has at most ${decimalsOf(currency)} decimal places.`,
        param,
      );
    case "too_large":
      throw invalidRequest(`Invalid ${param}: it is larger than the escrow can hold.`, param);
    default:
      return amount;
  }
}

type PaidOut = { settlementMethod: SettlementMethod; currency: Currency };

/**
 * Rejects an amount that could be released and settled, but that the provider would not pay out.
 * @throws ServiceError 400 with `param`
 */
export function requirePayable(
  config: Pick<Config, "minimums">,
  { settlementMethod: method, currency }: PaidOut,
  amount: bigint,
  param = "amount",
): void {
  const problem = findAmountProblem(config, { method, currency, amount });
  if (problem) throw invalidRequest(`Invalid ${param}: ${problem}.`, param);
}
