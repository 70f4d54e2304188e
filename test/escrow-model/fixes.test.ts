// If one fix is removed from the model, the search finds the vulnerability that the fix closed.
import { describe, expect, test } from "bun:test";
import type { Fix } from "./fixes.ts";
import { expectedCell } from "./search/expected-cells.ts";
import { Graph } from "./search/graph.ts";
import { violations } from "./search/laws.ts";
import { type OrderKind, plainKind, type Scenario } from "./search/scenario.ts";
import { exploreEverything } from "./search/world.ts";
import { worstCase } from "./search/worst-case.ts";

const DEPTH = 5;

/**
 * Returns the coalition's expected cell in the full model, and the cell that the search finds without the fix, while the
 * arbiter stays silent.
 */
function compareGains(kind: OrderKind, members: Scenario["members"], withoutFix: Fix | null) {
  const scenario: Scenario = { kind, arbiter: "silent", members };
  const { because: _, ...expected } = expectedCell(scenario);
  return { expected, found: worstCase(new Graph(kind, withoutFix), scenario, DEPTH) };
}

/** Returns the laws that this kind of order violates in any state or step. */
function brokenLaws(kind: OrderKind, withoutFix: Fix | null): string[] {
  const graph = new Graph(kind, withoutFix);
  exploreEverything(graph);
  return [...new Set(violations(graph).map(({ law }) => law))];
}

const PAYER_LOSES_VESTED_EXIT = "3 vested: somebody else's call removes what the payer could take";
const PAYEE_LOSES_VESTED_EXIT = "3 vested: somebody else's call removes what the payee could take";

describe("without the audit's fix, the search finds that", () => {
  test("F1: the payee alone gets a time-locked order's funds before the lock ends, by its own proof and dispute", () => {
    const { found, expected } = compareGains(plainKind("TIME_LOCKED"), ["payee"], "F1");
    expect([expected.early, found.early]).toEqual([0n, 4n]);
  });

  test("F1: the operator alone gets the funds of every milestone, although autoReleaseOnProof is off and a hash is expected", () => {
    const { found, expected } = compareGains(
      plainKind("MILESTONE_LOCKED", { hash: true }),
      ["operator"],
      "F1",
    );
    expect([expected.silent, found.silent]).toEqual([0n, 4n]);
  });

  test("F3: the operator marks a time-locked order as shipped and gets its funds, although the order has an independent oracle", () => {
    for (const lock of ["past", "future", "deadline"] as const) {
      const { found, expected } = compareGains(
        plainKind("TIME_LOCKED", { oracle: "independent", lock }),
        ["operator"],
        "F3",
      );
      expect([expected.silent, found.silent]).toEqual([0n, 4n]);
    }
  });

  test("F4: an oracle's proof after the dispute's deadline removes the payer's vested exit", () => {
    const kind = plainKind("DELIVERY_PROOF", { oracle: "independent" });
    expect(brokenLaws(kind, null)).toEqual([]);
    expect(brokenLaws(kind, "F4")).toContain(PAYER_LOSES_VESTED_EXIT);
  });

  test("F5: a dispute after the delivery deadline removes the payer's vested exit", () => {
    expect(brokenLaws(plainKind("DELIVERY_PROOF"), null)).toEqual([]);
    expect(brokenLaws(plainKind("DELIVERY_PROOF"), "F5")).toContain(PAYER_LOSES_VESTED_EXIT);
  });

  test("F6: the payer invalidates the oracle's milestone signature by releasing one unit, and reclaims the rest", () => {
    const kind = plainKind("MILESTONE_LOCKED", { oracle: "independent", signedHalf: true });
    const { found, expected } = compareGains(kind, ["payer"], "F6");
    expect([expected.reply, found.reply]).toEqual([2n, 3n]);
  });

  test("F9: an oracle that is the payee releases every milestone to itself", () => {
    const { found, expected } = compareGains(
      plainKind("MILESTONE_LOCKED", { oracle: "payee" }),
      ["payee"],
      "F9",
    );
    expect([expected.silent, found.silent]).toEqual([0n, 4n]);
  });

  test("F9: an oracle that is the operator releases every milestone and settles it", () => {
    const { found, expected } = compareGains(
      plainKind("MILESTONE_LOCKED", { oracle: "operator" }),
      ["operator"],
      "F9",
    );
    expect([expected.silent, found.silent]).toEqual([0n, 4n]);
  });
});

describe("without a later fix, the search finds that", () => {
  test("the merchant's own dispute bypasses the time lock of a proven order", () => {
    const kind = plainKind("TIME_LOCKED", { oracle: "independent" });
    const { found, expected } = compareGains(kind, ["payee", "oracle"], "own dispute resumes");
    expect([expected.early, found.early]).toEqual([0n, 4n]);
  });

  test("the merchant's own dispute bypasses the manual release of a proven order", () => {
    const { found, expected } = compareGains(plainKind("DELIVERY_PROOF"), ["payee"], "own dispute resumes");
    expect([expected.early, found.early]).toEqual([0n, 4n]);
  });

  test("a hostile operator leaves proven funds stuck", () => {
    const kind = plainKind("DELIVERY_PROOF", { oracle: "independent" });
    expect(brokenLaws(kind, null)).toEqual([]);
    expect(brokenLaws(kind, "payee releases a proven order")).toContain(
      "proven funds are stuck: the payee cannot get them on its own, even with unlimited time",
    );
  });

  test("the payer's dispute removes the payee's vested exit", () => {
    expect(brokenLaws(plainKind("TIME_LOCKED"), null)).toEqual([]);
    expect(brokenLaws(plainKind("TIME_LOCKED"), "payee's exit stays")).toContain(PAYEE_LOSES_VESTED_EXIT);
  });

  test("a dispute that outlasts the delivery deadline leaves the merchant no time to ship", () => {
    const { found, expected } = compareGains(
      plainKind("TIME_LOCKED"),
      ["payer"],
      "dispute extends the deadline",
    );
    expect([expected.reply, found.reply]).toEqual([0n, 4n]);
  });

  test("a merchant's dispute outlasts the time lock", () => {
    const { found, expected } = compareGains(
      plainKind("TIME_LOCKED"),
      ["payee"],
      "merchant's dispute ends before the lock",
    );
    expect([expected.reply, found.reply]).toEqual([0n, 4n]);
  });

  test("an operator that is also the arbiter gets a milestone-locked order's funds by its own dispute", () => {
    const kind = plainKind("MILESTONE_LOCKED", { oracle: "independent" });
    const ownArbiter = { arbiter: "operator" };
    expect(() => new Graph(kind, null, ownArbiter)).toThrow("RoleNotAllowed");
    const graph = new Graph(kind, "operator is not the arbiter", ownArbiter);
    const scenario: Scenario = { kind, arbiter: "silent", members: ["operator"] };
    expect([expectedCell(scenario).silent, worstCase(graph, scenario, DEPTH).silent]).toEqual([0n, 4n]);
  });
});
