// Currencies and amounts of money. Amounts are bigint in the token's smallest unit, never floating point.

/** The local network's currencies (spec, "Payment intent") with their tokens' decimals. */
export const CURRENCY_DECIMALS = { USDC: 6, USDT: 6, DAI: 18 } as const;

export type LocalCurrency = keyof typeof CURRENCY_DECIMALS;

/** The local network's list. Another network's currencies come from its TOKENS. */
export const CURRENCIES = Object.keys(CURRENCY_DECIMALS) as [LocalCurrency, ...LocalCurrency[]];

/** A token's displayed symbol. `TOKENS` configures the available symbols. */
export type Currency = LocalCurrency | (string & {});

const decimalsByCurrency = new Map<Currency, number>(Object.entries(CURRENCY_DECIMALS));

/** Registers a configured currency. A symbol has the same decimals on every network of a process. */
export function registerCurrency(currency: Currency, decimals: number): void {
  decimalsByCurrency.set(currency, decimals);
}

/** Every registered currency. */
export const knownCurrencies = (): Currency[] => [...decimalsByCurrency.keys()];

/** @throws Error for a currency that is not configured */
export function decimalsOf(currency: Currency): number {
  const decimals = decimalsByCurrency.get(currency);
  if (decimals === undefined) throw new Error(`The currency ${currency} is not configured.`);
  return decimals;
}

/** The largest amount that the contract can hold (uint120), in the smallest unit. */
export const MAX_AMOUNT = 2n ** 120n - 1n;

export type AmountProblem = "malformed" | "not_positive" | "too_precise" | "too_large";

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Maximum length of a text to parse: the 37 digits of MAX_AMOUNT, a sign, a decimal point, and a generous number of
 * leading zeros.
 */
const MAX_TEXT = 80;

/**
 * Parses a decimal string such as "100.00" into the smallest unit.
 * @returns the amount, or the problem with the text
 */
export function parseAmount(text: string, currency: Currency): bigint | AmountProblem {
  const decimals = decimalsOf(currency);
  if (text.length > MAX_TEXT) return /^\d+(\.\d+)?$/.test(text) ? "too_large" : "malformed";
  const match = DECIMAL.exec(text);
  if (!match) return "malformed";
  const [, sign, integer = "", fraction = ""] = match;
  if (sign === "-" || /^0*$/.test(integer + fraction)) return "not_positive";
  if (/^0\d/.test(integer)) return "malformed";
  if (fraction.length > decimals) return "too_precise";
  const amount = BigInt(integer + fraction.padEnd(decimals, "0"));
  return amount > MAX_AMOUNT ? "too_large" : amount;
}

/** Formats an amount as a decimal string with at least two decimal places. */
export function formatAmount(amount: bigint, currency: Currency): string {
  const decimals = decimalsOf(currency);
  const digits = amount.toString().padStart(decimals + 1, "0");
  const integer = digits.slice(0, digits.length - decimals);
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, "")
    .padEnd(2, "0");
  return `${integer}.${fraction}`;
}

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
