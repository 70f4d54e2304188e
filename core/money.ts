// Money: currencies, and amounts as bigint in the token's smallest unit. No floating point anywhere.

/** Currencies of the service (spec, "Payment intent") with the decimals of their tokens. */
export const CURRENCY_DECIMALS = { USDC: 6, USDT: 6, DAI: 18 } as const;

export type Currency = keyof typeof CURRENCY_DECIMALS;

export const CURRENCIES = Object.keys(CURRENCY_DECIMALS) as [Currency, ...Currency[]];

/** The largest amount that the contract can hold (uint120), in the smallest unit. */
export const MAX_AMOUNT = 2n ** 120n - 1n;

export type AmountProblem = "malformed" | "not_positive" | "too_precise" | "too_large";

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Longest text looked at: the 37 digits of MAX_AMOUNT, a sign, a point and generous leading zeros. */
const MAX_TEXT = 80;

/**
 * Reads a decimal string such as "100.00" into the smallest unit.
 * @returns the amount, or what is wrong with the text
 */
export function parseAmount(text: string, currency: Currency): bigint | AmountProblem {
  const decimals = CURRENCY_DECIMALS[currency];
  if (text.length > MAX_TEXT) return /^\d+(\.\d+)?$/.test(text) ? "too_large" : "malformed";
  const match = DECIMAL.exec(text);
  if (!match) return "malformed";
  const [, sign, whole = "", fraction = ""] = match;
  if (sign === "-" || /^0*$/.test(whole + fraction)) return "not_positive";
  if (/^0\d/.test(whole)) return "malformed";
  if (fraction.length > decimals) return "too_precise";
  const amount = BigInt(whole + fraction.padEnd(decimals, "0"));
  return amount > MAX_AMOUNT ? "too_large" : amount;
}

/** Shows an amount as the service does: a decimal string with at least two decimal places. */
export function formatAmount(amount: bigint, currency: Currency): string {
  const decimals = CURRENCY_DECIMALS[currency];
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).replace(/0+$/, "").padEnd(2, "0");
  return `${whole}.${fraction}`;
}
