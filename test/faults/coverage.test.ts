// A long run that skipped something must fail, regardless of its other results.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { MANY_RUNS, report } from "./coverage.ts";
import { planOf } from "./plan.ts";
import type { Outcome } from "./simulate.ts";

/** Returns a run in which every planned fault had an effect, except faults of one kind. */
const ran = (seed: number, missing?: string): Outcome => {
  const { payments, faults, laterFaults } = planOf(seed);
  return {
    seed,
    payments,
    tookMs: 1_000,
    findings: [],
    faults: [...faults, ...laterFaults].map(({ kind }) => ({
      ...{ kind, from: 0, to: 0 },
      hits: kind === missing ? 0 : 1,
    })),
    ends: { FINAL: payments.length },
    met: [],
    looks: 1,
    losses: 0n,
  };
};
const runs = (count: number, missing?: string) =>
  Array.from({ length: count }, (_, index) => ran(index + 1, missing));

describe("the coverage of runs", () => {
  it("is complete if many runs have skipped nothing", () => {
    expect(report(runs(MANY_RUNS)).isComplete).to.equal(true);
  });

  it("is incomplete if a fault never had an effect, and names that fault", () => {
    const { isComplete, lines } = report(runs(MANY_RUNS, "rpc_lies_logs"));
    expect(isComplete).to.equal(false);
    expect(lines.at(-1)).to.equal("NEVER HAPPENED: rpc_lies_logs");
  });

  it("is not required of a few runs", () => {
    expect(report(runs(2, "rpc_lies_logs")).isComplete).to.equal(true);
  });
});
