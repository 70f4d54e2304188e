// Tests which milestone the payer can release next, and the arguments of the contract call.
import { expect, test } from "bun:test";
import type { Checkout, Order } from "./checkout.ts";
import { nextMilestone } from "./next-milestone.ts";
import type { Verified } from "./verify.ts";

const UNIT = 1_000_000n;

/** Uses an order of 100.00 with milestones of 40.00 and 25.00, and an unplanned remainder of 35.00. */
function next(order: Partial<Order> = {}, releaseType = "MILESTONE_LOCKED") {
  const milestones = ["40.00", "25.00"].map((amount, index) => ({ index, description: null, amount }));
  const data = {
    currency: "USDC",
    milestones,
    order: { status: "Created", released: "0.00", refunded: "0.00", ...order },
  };
  const terms = { amount: 100n * UNIT };
  const found = nextMilestone({ data } as unknown as Checkout, { releaseType, terms } as unknown as Verified);
  if (!found) return undefined;
  const { milestone, cumulative, amount, partial, left } = found;
  return [milestone.index, cumulative / UNIT, amount / UNIT, partial, left / UNIT];
}

test("milestones are released in order, each with its cumulative total", () => {
  expect(next()).toEqual([0, 40n, 40n, false, 60n]);
  expect(next({ released: "40.00" })).toEqual([1, 65n, 25n, false, 35n]);
});

test("there is no next milestone after the last one, even if an amount remains", () => {
  expect(next({ released: "65.00" })).toBeUndefined();
});

test("the rest of a partially released milestone is next", () => {
  expect(next({ released: "15.00" })).toEqual([0, 40n, 25n, true, 60n]);
});

test("partial refunds reduce the unplanned amount first, then the last milestone", () => {
  expect(next({ refunded: "35.00" })).toEqual([0, 40n, 40n, false, 25n]);
  expect(next({ released: "40.00", refunded: "50.00" })).toEqual([1, 50n, 10n, true, 0n]);
  expect(next({ refunded: "80.00" })).toEqual([0, 20n, 20n, true, 0n]);
});

test("there is no next milestone while the order is disputed, after it has ended, or under any other release type", () => {
  for (const status of ["Disputed", "AwaitingSettlement", "Completed", "Cancelled"] as const) {
    expect(next({ status })).toBeUndefined();
  }
  expect(next({ status: "Shipped" })).toBeDefined();
  expect(next({}, "DELIVERY_PROOF")).toBeUndefined();
});
