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

/** Returns the expected cell and the search's result for a coalition with a silent arbiter. */
function gain(order: OrderKind, members: Scenario["members"], withoutFix: Fix | null) {
  const scenario: Scenario = { kind: order, arbiter: "silent", members };
  const { because: _, ...expected } = expectedCell(scenario);
  return { expected, found: worstCase(new Graph(order, withoutFix), scenario, DEPTH) };
}

/** Returns the laws that the order violates in any state or step. */
function brokenLaws(order: OrderKind, withoutFix: Fix | null): string[] {
  const graph = new Graph(order, withoutFix);
  exploreEverything(graph);
  return [...new Set(violations(graph).map(({ law }) => law))];
}

const PAYER_LOSES_VESTED = "3 vested: somebody else's call removes what the payer could take";
const PAYEE_LOSES_VESTED = "3 vested: somebody else's call removes what the payee could take";

describe("fixes from the audit", () => {
  test("F1: the payee alone takes a locked order before its lock ends, with its own proof and dispute", () => {
    const { found, expected } = gain(plainKind("TIME_LOCKED"), ["payee"], "F1");
    expect([expected.early, found.early]).toEqual([0n, 4n]);
  });

  test("F1: the operator alone takes every milestone although autoReleaseOnProof is off and a hash is expected", () => {
    const { found, expected } = gain(plainKind("MILESTONE_LOCKED", { hash: true }), ["operator"], "F1");
    expect([expected.silent, found.silent]).toEqual([0n, 4n]);
  });

  test("F3: the operator ships and takes a time-locked order with an independent oracle", () => {
    for (const lock of ["past", "future", "deadline"] as const) {
      const { found, expected } = gain(
        plainKind("TIME_LOCKED", { oracle: "independent", lock }),
        ["operator"],
        "F3",
      );
      expect([expected.silent, found.silent]).toEqual([0n, 4n]);
    }
  });

  test("F4: an oracle's proof after the dispute's deadline takes what the payer could take", () => {
    const order = plainKind("DELIVERY_PROOF", { oracle: "independent" });
    expect(brokenLaws(order, null)).toEqual([]);
    expect(brokenLaws(order, "F4")).toContain(PAYER_LOSES_VESTED);
  });

  test("F5: a dispute after the delivery deadline removes the payer's open reclaim", () => {
    expect(brokenLaws(plainKind("DELIVERY_PROOF"), null)).toEqual([]);
    expect(brokenLaws(plainKind("DELIVERY_PROOF"), "F5")).toContain(PAYER_LOSES_VESTED);
  });

  test("F6: the payer voids the oracle's milestone signature by releasing one unit, and reclaims the rest", () => {
    const order = plainKind("MILESTONE_LOCKED", { oracle: "independent", signedHalf: true });
    const { found, expected } = gain(order, ["payer"], "F6");
    expect([expected.reply, found.reply]).toEqual([2n, 3n]);
  });

  test("F9: an oracle that is the payee releases every milestone to itself", () => {
    const { found, expected } = gain(plainKind("MILESTONE_LOCKED", { oracle: "payee" }), ["payee"], "F9");
    expect([expected.silent, found.silent]).toEqual([0n, 4n]);
  });

  test("F9: an oracle that is the operator releases every milestone and settles it", () => {
    const { found, expected } = gain(
      plainKind("MILESTONE_LOCKED", { oracle: "operator" }),
      ["operator"],
      "F9",
    );
    expect([expected.silent, found.silent]).toEqual([0n, 4n]);
  });
});

describe("holes in an earlier operation table", () => {
  test("the merchant's own dispute skips the lock of a proven order", () => {
    const order = plainKind("TIME_LOCKED", { oracle: "independent" });
    const { found, expected } = gain(order, ["payee", "oracle"], "own dispute resumes");
    expect([expected.early, found.early]).toEqual([0n, 4n]);
  });

  test("the merchant's own dispute skips the manual release of a proven order", () => {
    const { found, expected } = gain(plainKind("DELIVERY_PROOF"), ["payee"], "own dispute resumes");
    expect([expected.early, found.early]).toEqual([0n, 4n]);
  });

  test("a hostile operator leaves proven funds stuck", () => {
    const order = plainKind("DELIVERY_PROOF", { oracle: "independent" });
    expect(brokenLaws(order, null)).toEqual([]);
    expect(brokenLaws(order, "payee releases a proven order")).toContain(
      "proven funds are stuck: the payee, alone and with time, does not get them",
    );
  });

  test("the payer's dispute removes the payee's open exit", () => {
    expect(brokenLaws(plainKind("TIME_LOCKED"), null)).toEqual([]);
    expect(brokenLaws(plainKind("TIME_LOCKED"), "payee's exit stays")).toContain(PAYEE_LOSES_VESTED);
  });

  test("a dispute that outlasts the delivery deadline leaves the merchant no time to ship", () => {
    const { found, expected } = gain(plainKind("TIME_LOCKED"), ["payer"], "dispute moves the deadline");
    expect([expected.reply, found.reply]).toEqual([0n, 4n]);
  });

  test("a merchant's dispute does not outlast a lock", () => {
    const { found, expected } = gain(
      plainKind("TIME_LOCKED"),
      ["payee"],
      "merchant's dispute ends before the lock",
    );
    expect([expected.reply, found.reply]).toEqual([0n, 4n]);
  });

  test("an operator who is the arbiter takes every order with its own dispute", () => {
    const order = plainKind("MILESTONE_LOCKED", { oracle: "independent" });
    const ownArbiter = { arbiter: "operator" };
    expect(() => new Graph(order, null, ownArbiter)).toThrow("RoleNotAllowed");
    const graph = new Graph(order, "operator is no arbiter", ownArbiter);
    const scenario: Scenario = { kind: order, arbiter: "silent", members: ["operator"] };
    expect([expectedCell(scenario).silent, worstCase(graph, scenario, DEPTH).silent]).toEqual([0n, 4n]);
  });
});
