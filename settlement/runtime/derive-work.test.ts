import { describe, it } from "bun:test";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { ORDER_STATUSES, type OrderStatus, RELEASE_TYPES, type ReleaseType } from "#core/chain/terms.ts";
import { deriveWork, type OrderFacts } from "./derive-work.ts";

const OPERATOR = "0x00000000000000000000000000000000000000a1";
const RULES = { confirmations: 5, operator: OPERATOR };
const CONFIRMED = { clock: "block", due: 104 } as const;

type Order = NonNullable<OrderFacts["order"]>;
type Change = Partial<Order> & { is?: OrderStatus; type?: ReleaseType };

function work(
  { is = "Created", type = "DELIVERY_PROOF", ...change }: Change,
  more: Partial<OrderFacts> = {},
) {
  const order: Order = {
    status: ORDER_STATUSES.indexOf(is),
    releaseType: RELEASE_TYPES.indexOf(type),
    autoReleaseOnProof: false,
    deliveryOracle: zeroAddress,
    operator: "0x00000000000000000000000000000000000000A1",
    released: 0n,
    settled: 0n,
    withdrawn: 0n,
    timeLockUntil: 5_000,
    disputeDeadline: null,
    createdBlock: 100,
    updatedBlock: 200,
    updatedBlockHash: "0x1",
    ...change,
  };
  const facts: OrderFacts = {
    ...{
      orderId: "0x2",
      merchantId: "m",
      canceled: false,
      plannedAmount: order.settled,
      completedAmount: 0n,
      order,
    },
    ...more,
  };
  const due = deriveWork(facts, RULES);
  // Every change is observed.
  expect(due.filter(({ purpose }) => purpose === "observe")).to.have.length(1);
  const acts = due.filter(({ purpose }) => purpose !== "observe");
  return Object.fromEntries(acts.map(({ purpose, clock, due }) => [purpose, { clock, due }]));
}

describe("the work that is due for an order", () => {
  it("is none while the order's funds wait for a proof, and once the order has ended or no longer exists", () => {
    expect(work({})).to.deep.equal({});
    expect(work({ is: "Completed", released: 9n, settled: 9n }, { plannedAmount: 9n })).to.deep.equal({});
    expect(work({}, { order: null })).to.deep.equal({});
  });

  it("is the order's settlement once its funding is confirmed, unless the payee has withdrawn or another operator serves it", () => {
    const released = { is: "AwaitingSettlement", released: 9n } as const;
    expect(work(released)).to.deep.equal({ settle: CONFIRMED });
    expect(work({ ...released, settled: 4n })).to.deep.equal({ settle: CONFIRMED });
    expect(work({ ...released, withdrawn: 1n })).to.deep.equal({});
    expect(work({ ...released, operator: zeroAddress })).to.deep.equal({});
  });

  it("is its release in the second in which the time lock expires, if it is shipped or delivered", () => {
    const due = { release_time_locked: { clock: "time", due: 5_000 } };
    expect(work({ type: "TIME_LOCKED", is: "Shipped" })).to.deep.equal(due);
    expect(work({ type: "TIME_LOCKED", is: "Delivered" })).to.deep.equal(due);
    expect(work({ type: "TIME_LOCKED" })).to.deep.equal({});
    expect(work({ type: "DELIVERY_PROOF", is: "Shipped" })).to.deep.equal({});
  });

  it("is the resolution of its expired dispute a second after the deadline, for any operator", () => {
    const due = { resolve_expired_dispute: { clock: "time", due: 7_001 } };
    expect(work({ is: "Disputed", disputeDeadline: 7_000 })).to.deep.equal(due);
    expect(work({ is: "Disputed", disputeDeadline: 7_000, operator: zeroAddress })).to.deep.equal(due);
    expect(work({ is: "Delivered", disputeDeadline: 7_000 })).to.deep.equal({});
  });

  it("is the release of completed milestones if the operator may confirm them", () => {
    const milestones = {
      type: "MILESTONE_LOCKED",
      autoReleaseOnProof: true,
      released: 3n,
      settled: 3n,
    } as const;
    const due = { release_milestone: { clock: "block", due: 200 } };
    expect(work(milestones, { completedAmount: 4n })).to.deep.equal(due);
    expect(work(milestones, { completedAmount: 3n })).to.deep.equal({});
    expect(work({ ...milestones, autoReleaseOnProof: false }, { completedAmount: 4n })).to.deep.equal({});
    expect(work({ ...milestones, deliveryOracle: OPERATOR }, { completedAmount: 4n })).to.deep.equal({});
    expect(work({ ...milestones, is: "Disputed" }, { completedAmount: 4n })).to.deep.equal({});
  });

  it("is the payout of what was settled and not planned, once the settlement is confirmed", () => {
    const settled = { is: "Completed", released: 9n, settled: 9n } as const;
    const due = { plan_payouts: { clock: "block", due: 204 } };
    expect(work(settled, { plannedAmount: 8n })).to.deep.equal(due);
    expect(work(settled, { plannedAmount: 9n })).to.deep.equal({});
  });

  it("is the return of late funding of a canceled payment, and no work that would keep the funds", () => {
    const due = { return_late_funding: CONFIRMED };
    expect(work({}, { canceled: true })).to.deep.equal(due);
    expect(work({ is: "AwaitingSettlement", released: 9n }, { canceled: true })).to.deep.equal(due);
    expect(work({ type: "TIME_LOCKED", is: "Shipped" }, { canceled: true })).to.deep.equal(due);
    expect(work({ is: "Cancelled" }, { canceled: true })).to.deep.equal({});
  });
});
