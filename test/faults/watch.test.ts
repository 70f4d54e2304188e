// Which backward steps a reorg explains, and which nothing does.
import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Injected } from "./inject.ts";
import { stepsBack } from "./watch.ts";

const sights = (...statuses: string[]) =>
  statuses.map((status, index) => ({ status, first: index * 1_000, last: index * 1_000 + 900 }));
const fault = (kind: Injected["kind"], from: number): Injected => ({ kind, from, to: from + 10, hits: 1 });

describe("a status that went back", () => {
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
    expect(stepsBack(sights(from, to), [fault(kind, 950)])).to.have.length(unexplained);
  });

  it("is explained by a deep reorg if the payee had withdrawn the money on chain and no bank had paid", () => {
    expect(stepsBack(sights("SETTLED", "PROCESSING"), [fault("deep_reorg", 950)], Infinity)).to.deep.equal(
      [],
    );
    expect(stepsBack(sights("SETTLED", "PROCESSING"), [fault("reorg", 950)], Infinity)).to.have.length(1);
  });

  it("is explained even if a bank paid, if that was later", () => {
    expect(stepsBack(sights("SETTLED", "PROCESSING"), [fault("deep_reorg", 950)], 1_100)).to.deep.equal([]);
    expect(stepsBack(sights("SETTLED", "PROCESSING"), [fault("deep_reorg", 950)], 500)).to.have.length(1);
  });

  it("is explained by any reorg of the payee's own withdrawal, until that was final", () => {
    expect(stepsBack(sights("SETTLED", "SUCCEEDED"), [fault("reorg", 950)], Infinity)).to.deep.equal([]);
    expect(stepsBack(sights("FINAL", "SUCCEEDED"), [fault("reorg", 950)], Infinity)).to.have.length(1);
  });

  it("is not explained by a reorg that came later", () => {
    expect(stepsBack(sights("PROCESSING", "INITIATED"), [fault("reorg", 5_000)])).to.have.length(1);
  });

  it("is absent if a payout failed or was returned, or every step went forward", () => {
    expect(stepsBack(sights("SUCCEEDED", "REQUIRES_ACTION", "SETTLED", "FINAL"), [])).to.deep.equal([]);
    expect(stepsBack(sights("SETTLED", "REQUIRES_ACTION"), [])).to.deep.equal([]);
  });
});
