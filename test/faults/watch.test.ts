// Tests which backward status changes an injected fault explains, and which are violations.
import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Injected } from "./inject.ts";
import { findUnexplainedRegressions } from "./watch.ts";

const observations = (...statuses: string[]) =>
  statuses.map((status, index) => ({ status, first: index * 1_000, last: index * 1_000 + 900 }));
const fault = (kind: Injected["kind"], from: number): Injected => ({ kind, from, to: from + 10, hits: 1 });

describe("a status that regressed", () => {
  it.each([
    ["PROCESSING", "INITIATED", "reorg", 0],
    ["SUCCEEDED", "PROCESSING", "deep_reorg", 0],
    ["SUCCEEDED", "PROCESSING", "rpc_lies_block", 0],
    ["SUCCEEDED", "PROCESSING", "reorg", 1],
    ["SUCCEEDED", "PROCESSING", "kill_indexer", 1],
    ["SETTLED", "SUCCEEDED", "deep_reorg", 1],
    ["FINAL", "SETTLED", "deep_reorg", 1],
    ["CANCELED", "SUCCEEDED", "reorg", 1],
  ] as const)("from %s to %s after %s: %d unexplained", (from, to, kind, unexplained) => {
    expect(findUnexplainedRegressions(observations(from, to), [fault(kind, 950)])).to.have.length(
      unexplained,
    );
  });

  it("is explained by a deep reorg, not by a shallow one, if the payee withdrew on chain and no bank paid", () => {
    expect(
      findUnexplainedRegressions(observations("SETTLED", "PROCESSING"), [fault("deep_reorg", 950)], Infinity),
    ).to.deep.equal([]);
    expect(
      findUnexplainedRegressions(observations("SETTLED", "PROCESSING"), [fault("reorg", 950)], Infinity),
    ).to.have.length(1);
  });

  it("is explained by a deep reorg if a bank paid only after SETTLED was last seen", () => {
    expect(
      findUnexplainedRegressions(observations("SETTLED", "PROCESSING"), [fault("deep_reorg", 950)], 1_100),
    ).to.deep.equal([]);
    expect(
      findUnexplainedRegressions(observations("SETTLED", "PROCESSING"), [fault("deep_reorg", 950)], 500),
    ).to.have.length(1);
  });

  it("is explained by a shallow reorg while the payee's withdrawal is SETTLED but not yet FINAL", () => {
    expect(
      findUnexplainedRegressions(observations("SETTLED", "SUCCEEDED"), [fault("reorg", 950)], Infinity),
    ).to.deep.equal([]);
    expect(
      findUnexplainedRegressions(observations("FINAL", "SUCCEEDED"), [fault("reorg", 950)], Infinity),
    ).to.have.length(1);
  });

  it("is not explained by a reorg that came later", () => {
    expect(
      findUnexplainedRegressions(observations("PROCESSING", "INITIATED"), [fault("reorg", 5_000)]),
    ).to.have.length(1);
  });

  it("is not reported if a payout failed or was returned, or if every step went forward", () => {
    expect(
      findUnexplainedRegressions(observations("SUCCEEDED", "REQUIRES_ACTION", "SETTLED", "FINAL"), []),
    ).to.deep.equal([]);
    expect(findUnexplainedRegressions(observations("SETTLED", "REQUIRES_ACTION"), [])).to.deep.equal([]);
  });
});
