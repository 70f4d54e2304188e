// A run's plan is determined by its seed, covers everything over many seeds, and has consistent amounts.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { FATES, FAULT_KINDS, LOST, METHODS, planOf, STORIES } from "./plan.ts";

const plans = Array.from({ length: 200 }, (_, index) => planOf(index + 1));
const payments = plans.flatMap((plan) => plan.payments);
const faults = plans.flatMap((plan) => [...plan.faults, ...plan.laterFaults]);

describe("the plan of a run", () => {
  it("depends only on the seed", () => {
    expect(planOf(7)).to.deep.equal(planOf(7));
    expect(planOf(7).payments).not.to.deep.equal(planOf(8).payments);
    expect(new Set(payments.map(({ key }) => key)).size).to.equal(payments.length);
  });

  it("has ten to seventeen payments, all of different kinds, each to a separate account", () => {
    for (const { payments: own } of plans) {
      expect(own.length).to.be.within(10, 17);
      expect(new Set(own.map(({ story }) => story)).size).to.equal(own.length);
    }
    expect(new Set(payments.map(({ destination }) => destination)).size).to.equal(payments.length);
  });

  it("only pays out amounts that the method supports", () => {
    const minimums = { OFF_RAMP_TO_RTP: 100n, OFF_RAMP_TO_BANK: 100n };
    for (const { method, currency, amount: all, payeeAmount, milestones } of payments) {
      for (const amount of [all, payeeAmount, ...milestones].filter((part) => part > 0n)) {
        expect(findAmountProblem({ minimums }, { method, currency, amount })).to.equal(undefined);
      }
    }
  });

  it("never gives the payee more than the amount, and has milestones that add up", () => {
    for (const { amount, payeeAmount, milestones } of payments) {
      expect(payeeAmount >= 0n && payeeAmount <= amount).to.equal(true);
      if (milestones.length > 0) expect(milestones.reduce((sum, part) => sum + part)).to.equal(amount);
      expect(milestones.every((part) => part > 0n)).to.equal(true);
    }
  });

  it("skips no kind of payment, payout or fault in two hundred runs", () => {
    expect(new Set(payments.map(({ story }) => story))).to.deep.equal(new Set(STORIES));
    expect(new Set(payments.map(({ fate }) => fate))).to.deep.equal(new Set(FATES));
    expect(new Set(payments.map(({ method }) => method))).to.deep.equal(new Set(METHODS));
    expect(new Set(faults.map(({ kind }) => kind))).to.deep.equal(new Set(FAULT_KINDS));
  });

  it("loses two complete payments in each failover, and nowhere else", () => {
    for (const { payments: own, laterFaults } of plans) {
      const lost = own.filter(({ story }) => LOST.includes(story));
      const failsOver = laterFaults.some(({ kind }) => kind === "failover");
      expect(lost.map(({ story }) => story)).to.deep.equal(failsOver ? [...LOST] : []);
    }
  });

  it("reorgs at most four blocks, except for the payment that is meant to vanish", () => {
    for (const { kind, size } of faults) {
      if (kind === "reorg") expect(size).to.be.within(1, 4);
    }
    for (const { payments: own, faults: planned } of plans) {
      const vanishes = own.some(({ story }) => story === "double_spend");
      expect(planned.some(({ kind }) => kind === "deep_reorg")).to.equal(vanishes);
    }
  });
});
