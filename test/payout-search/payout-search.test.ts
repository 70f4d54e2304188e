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

const BOUNDS: Record<string, Bounds> = DEEP
  ? {
      "one attempt of three calls, and everything else": { attempts: 1, calls: 3, lies: true, reorgs: true },
      "two attempts of two calls": { attempts: 2, calls: 2, lies: false, reorgs: false },
      "two attempts, and fees above the amount that the gateway bears": {
        ...{ attempts: 2, calls: 1, lies: false, reorgs: false, overcharged: "gateway" },
      },
      "two attempts, and fees above the amount that the merchant bears": {
        ...{ attempts: 2, calls: 1, lies: true, reorgs: false, overcharged: "merchant" },
      },
      "two attempts, and a provider that contradicts itself": {
        attempts: 2,
        calls: 1,
        lies: true,
        reorgs: false,
      },
    }
  : {
      "a settlement that comes and goes": { attempts: 1, calls: 1, lies: false, reorgs: true },
      "a fee above the amount": {
        attempts: 1,
        calls: 1,
        lies: false,
        reorgs: false,
        overcharged: "merchant",
      },
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
  const report = await search(slots, { attempts: 1, calls: 2, lies: false, reorgs: false, perjury: true });
  expect(report.violations.join("\n")).toContain("it is paid twice, or may be");
});
