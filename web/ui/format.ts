// Formats money and time in the user's language. Amounts are formatted from bigint, never from a float.
import { type Currency, formatAmount } from "#core/money.ts";

/**
 * Formats an amount such as "1,234.50 USDC", exact to the last digit.
 * @param units in the token's smallest unit
 */
export const showAmount = (units: bigint, currency: Currency, locale: string): string =>
  `${showDecimal(formatAmount(units, currency), locale)} ${currency}`;

/** Formats a decimal string such as "1234.5" for the locale: "1,234.50". */
export function showDecimal(decimal: string, locale: string): string {
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 18 });
  // Intl formats every digit of a string. A number would lose the digits beyond the 15th.
  return format.format(decimal as `${number}`);
}

/** A server does not know the user's time zone, so it names the zone that it uses. */
const isServer = typeof document === "undefined";

/** Formats a moment with date and time of day. @param seconds Unix seconds */
export function showMoment(seconds: number, locale: string): string {
  const zone = isServer ? { timeZone: "UTC" } : {};
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", ...zone });
  return format.format(seconds * 1000) + (isServer ? " UTC" : "");
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats a duration in its two largest units: "6 days 23 hours". @param seconds rounded down, at least 0 */
export function showDuration(seconds: number, locale: string): string {
  const left = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([, length]) => left >= length);
  const shown = first < 0 ? UNITS.slice(-1) : UNITS.slice(first, first + 2);
  let rest = left;
  return shown
    .map(([unit, length], index) => {
      const count = Math.floor(rest / length);
      rest -= count * length;
      if (count === 0 && index > 0) return "";
      return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count);
    })
    .filter((part) => part !== "")
    .join(" ");
}

/** Shortens an address, hash or id: "0x1234…cdef", "intent_12…cdef". */
export function shortHex(hex: string): string {
  const start = hex.startsWith("0x") ? 6 : hex.indexOf("_") + 3;
  return `${hex.slice(0, start)}…${hex.slice(-4)}`;
}
