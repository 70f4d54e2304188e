// A payout with a provider that loses, repeats, delays and contradicts its responses. The search explores every path
// with the gateway's own worker and commands on a real database. `npm run test:deep` has wider bounds.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { DEEP, inDeep } from "#test/support/deep.ts";
import type { Bounds } from "./moves.ts";
import { search } from "./search.ts";
import { Slots } from "./slots.ts";

let slots: Slots;
beforeAll(async () => {
  slots = await Slots.open(64);
});
afterAll(() => slots?.close());

/** Bounds without anything unusual. */
const PLAIN: Bounds = { attempts: 1, calls: 1, lies: false, reorgs: false, cancels: false };
const ALL: Bounds = { ...PLAIN, cancels: true };

const BOUNDS: Record<string, Bounds> = DEEP
  ? {
      "one attempt of three calls, and everything else": { ...ALL, calls: 3, lies: true, reorgs: true },
      "two attempts, a settlement that comes and goes, and no manual payment instead of a retry": {
        ...{ ...PLAIN, attempts: 2, reorgs: true, manualLast: true },
      },
      "two attempts of two calls": { ...ALL, attempts: 2, calls: 2 },
      "two attempts, and fees above the amount that the gateway bears": {
        ...{ ...ALL, attempts: 2, overcharged: "gateway" },
      },
      "two attempts, and fees above the amount that the merchant bears": {
        ...{ ...ALL, attempts: 2, lies: true, overcharged: "merchant" },
      },
      "two attempts, and a provider that contradicts itself": { ...ALL, attempts: 2, lies: true },
    }
  : {
      "a settlement that comes and goes": { ...PLAIN, reorgs: true },
      "a fee above the amount": { ...PLAIN, overcharged: "merchant" },
      cancellations: ALL,
    };

test.each(Object.entries(BOUNDS))(
  "no path pays twice, and every path has an exit: %s",
  async (name, bounds) => {
    const report = await search(slots, bounds);
    console.log(`${name}: ${report.situations} situations, ${report.moves} moves, ${report.ends} ends`);
    expect(report.ends).toBeGreaterThan(0);
    expect(report.violations.slice(0, 3).join("\n\n")).toBe("");
    expect(report.stuck.slice(0, 3).join("\n\n")).toBe("");
  },
  3_600_000,
);

inDeep("a provider that executes rejected calls pays twice, and the search finds it", async () => {
  const report = await search(slots, { ...PLAIN, calls: 2, perjury: "declines" });
  expect(report.violations.join("\n")).toContain("it is paid twice, or may be");
});

inDeep("a provider that pays canceled transfers may pay twice, and the search finds it", async () => {
  const report = await search(slots, { ...PLAIN, perjury: "cancels" });
  expect(report.violations.join("\n")).toContain("an attempt is over, and its transfer is not");
});
