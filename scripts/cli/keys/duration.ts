// Parses durations such as `24h`.
import { refuse } from "../../shared/command-line.ts";

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const LONGEST = 10 * 365 * 86_400;

/** Exits the process unless the text is a duration such as `90s`, `30m`, `24h`, `7d` or `0` */
export function parseSeconds(text: string): number {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = text === "0" ? 0 : Number(number) * (SECONDS[unit ?? ""] ?? Number.NaN);
  return seconds <= LONGEST ? seconds : refuse(`'${text}' is not a duration such as 90s, 30m, 24h or 7d.`);
}
