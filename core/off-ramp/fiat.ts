// Fiat amounts as reported by providers: decimal strings in an ISO 4217 currency, stored as bigint in its minor unit.

/** Currencies whose minor unit is not a hundredth. */
const DECIMALS = new Map([
  ["JPY", 0],
  ["KRW", 0],
  ["CLP", 0],
  ["VND", 0],
  ["KWD", 3],
  ["BHD", 3],
]);

/** The amount that arrived at a bank, in the currency's minor unit. */
export type Delivered = { amount: bigint; currency: string };

export const fiatDecimals = (currency: string): number => DECIMALS.get(currency) ?? 2;

/**
 * Parses a provider's decimal string. Digits beyond the minor unit must be zeros.
 * @returns undefined for anything else
 */
export function parseFiat(text: string, currency: string): bigint | undefined {
  const match = /^(\d{1,24})(?:\.(\d{1,18}))?$/.exec(text);
  if (!match || !/^[A-Z]{3}$/.test(currency)) return undefined;
  const [, integer = "", fraction = ""] = match;
  const decimals = fiatDecimals(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  return BigInt(integer + fraction.slice(0, decimals).padEnd(decimals, "0"));
}

export function formatFiat({ amount, currency }: Delivered): string {
  const decimals = fiatDecimals(currency);
  const digits = amount.toString().padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Parses a rate or tolerance from a provider or the configuration, such as 0.9215, as an exact fraction. */
export function parseRate(text: string): { numerator: bigint; denominator: bigint } | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,18}))?$/.exec(text);
  if (!match) return undefined;
  const [, integer = "", fraction = ""] = match;
  const numerator = BigInt(integer + fraction);
  return numerator === 0n ? undefined : { numerator, denominator: 10n ** BigInt(fraction.length) };
}
