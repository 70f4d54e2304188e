// Parses the target numbers of payments from the command line.
import { refuse } from "#scripts/shared/command-line.ts";
import type { Size } from "./fill.ts";

export type NamedSize = Size & { name: string };

const NIGHTLY = "10k,100k";
const MILLION = "1000k,1200k:200k";
const OPEN_SHARE = 0.02;
const SMALLEST = 5_000;

const NUMBER = { k: 1_000, M: 1_000_000 };

function parseCount(text: string): number {
  const [, digits = "", unit] = /^(\d+)([kM])?$/.exec(text) ?? [];
  if (digits === "") return refuse(`--sizes must be numbers such as 10k, not '${text}'.`);
  return Number(digits) * (unit === undefined ? 1 : NUMBER[unit as keyof typeof NUMBER]);
}

/** Exits the process unless the sizes increase and their numbers of open payments do not decrease. */
export function parseSizes(given: string | undefined, million: boolean): NamedSize[] {
  const text = [given ?? NIGHTLY, ...(million ? [MILLION] : [])].join(",");
  const sizes = text.split(",").map((one): NamedSize => {
    const [all = "", open, ...more] = one.split(":");
    if (more.length > 0) refuse(`--sizes must be numbers such as 1200k:200k, not '${one}'.`);
    const payments = parseCount(all);
    return {
      name: one,
      payments,
      open: open === undefined ? Math.round(payments * OPEN_SHARE) : parseCount(open),
    };
  });
  let before = { payments: SMALLEST - 1, open: 0 };
  for (const size of sizes) {
    if (size.payments <= before.payments || size.open < before.open || size.open > size.payments) {
      refuse(
        `--sizes must increase from at least ${SMALLEST}, and open payments cannot exceed all payments: '${size.name}'.`,
      );
    }
    before = size;
  }
  return sizes;
}
