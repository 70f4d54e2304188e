// Tests what the page says about the rights of payer and merchant, for each release type, with and without an
// independent oracle.
import { expect, test } from "bun:test";
import { type Address, zeroAddress } from "viem";
import { RELEASE_TYPES, type ReleaseType } from "#core/chain/terms.ts";
import { buildRules } from "./rules.ts";
import type { Verified } from "./verify.ts";

const [PAYER, PAYEE, OPERATOR, ARBITER, OFF_RAMP, ORACLE] = [1, 2, 3, 4, 5, 6].map(
  (n) => `0x${String(n).repeat(40)}`,
) as [Address, Address, Address, Address, Address, Address];
const NOW = 1_800_000_000;

const payment = (releaseType: ReleaseType, changes: object = {}) =>
  ({
    releaseType,
    terms: {
      payee: PAYEE,
      operator: OPERATOR,
      arbiter: ARBITER,
      offRamp: OFF_RAMP,
      payer: zeroAddress,
      deliveryOracle: zeroAddress,
      timeLockUntil: releaseType === "TIME_LOCKED" ? NOW + 1 : 0,
      autoReleaseOnProof: false,
      ...changes,
    },
  }) as unknown as Verified;

const said = (verified: Verified, payer?: Address): string[] => buildRules(verified, payer, NOW).rules;
const independent = { deliveryOracle: ORACLE };
const automatic = { autoReleaseOnProof: true };

test("an immediate payment has one rule: it cannot be reclaimed", () => {
  expect(said(payment("IMMEDIATE"))).toEqual(["rule.immediate"]);
});

test("every escrow payment says who holds the money, and how each side can refund, dispute or wait", () => {
  for (const type of RELEASE_TYPES.filter((one) => one !== "IMMEDIATE")) {
    for (const oracle of [{}, independent]) {
      const rules = said(payment(type, oracle));
      expect(rules[0]).toBe("rule.held");
      for (const rule of ["rule.refund", "rule.dispute", "rule.merchantsDispute"])
        expect(rules).toContain(rule);
      expect(rules.filter((rule) => rule.startsWith("rule.reclaim"))).toHaveLength(1);
      expect(rules.filter((rule) => rule.startsWith("undecided."))).toHaveLength(1);
    }
  }
});

test("without an independent oracle the merchant's proof counts, and an undecided dispute by the payer refunds", () => {
  for (const verified of [payment("DELIVERY_PROOF"), payment("AUTO_RELEASE")]) {
    expect(said(verified)).toContain("rule.provenByMerchant");
    expect(said(verified)).toContain("undecided.payer");
  }
  expect(said(payment("DELIVERY_PROOF"))).toContain("rule.proof");
  expect(said(payment("DELIVERY_PROOF", automatic))).toContain("rule.auto");
  expect(said(payment("AUTO_RELEASE"))).toContain("rule.auto");
});

test("with an independent oracle only its proof counts, and an undecided dispute follows it", () => {
  for (const type of ["DELIVERY_PROOF", "AUTO_RELEASE", "MILESTONE_LOCKED"] as const) {
    expect(said(payment(type, independent))).toContain("undecided.oracle");
  }
  expect(said(payment("DELIVERY_PROOF", independent))).toContain("rule.provenByOracle");
});

test("an oracle who is a party, including the payer, is not independent, and is named as the one who can prove delivery", () => {
  const provers = [
    [PAYEE, "rule.provenByMerchant"],
    [OPERATOR, "rule.provenByMerchant"],
    [ARBITER, "rule.provenByParty"],
    [OFF_RAMP, "rule.provenByParty"],
    [PAYER, "rule.provenByPayer"],
  ] as const;
  for (const [deliveryOracle, prover] of provers) {
    for (const type of ["DELIVERY_PROOF", "AUTO_RELEASE"] as const) {
      const rules = said(payment(type, { deliveryOracle }), PAYER);
      expect(rules).toContain(prover);
      expect(rules).toContain("undecided.payer");
    }
    expect(said(payment("TIME_LOCKED", { deliveryOracle }), PAYER)).toContain("rule.shippedByMerchant");
    expect(said(payment("MILESTONE_LOCKED", { deliveryOracle }), PAYER)).toContain("rule.milestonesByPayer");
  }
  const bound = payment("DELIVERY_PROOF", { deliveryOracle: PAYER, payer: PAYER });
  expect(said(bound)).toContain("rule.provenByPayer");
});

test("a time lock shows its date or, after it has passed, says that shipment releases", () => {
  expect(buildRules(payment("TIME_LOCKED"), undefined, NOW).gist).toBe("gist.lock");
  expect(said(payment("TIME_LOCKED"))).toEqual(
    expect.arrayContaining(["rule.lock", "rule.shippedByMerchant", "rule.reclaim.lock", "undecided.resumes"]),
  );
  const past = payment("TIME_LOCKED", { timeLockUntil: NOW, ...independent });
  expect(buildRules(past, undefined, NOW).gist).toBe("gist.pastLock");
  expect(said(past)).toEqual(
    expect.arrayContaining(["rule.pastLock", "rule.shippedByOracle", "undecided.resumes"]),
  );
  const alone = payment("TIME_LOCKED", { timeLockUntil: NOW });
  expect(said(alone), "what the merchant marks is released at once").toContain(
    "rule.shippedByMerchant.pastLock",
  );
});

test("milestones say who releases them: an independent oracle, the merchant by its own proof, or only the payer", () => {
  expect(said(payment("MILESTONE_LOCKED", independent))).toContain("rule.milestonesByOracle");
  expect(said(payment("MILESTONE_LOCKED", automatic))).toContain("rule.milestonesByMerchant");
  expect(said(payment("MILESTONE_LOCKED"))).toContain("rule.milestonesByPayer");
  const payees = { ...automatic, deliveryOracle: PAYEE };
  expect(said(payment("MILESTONE_LOCKED", payees))).toContain("rule.milestonesByPayer");
  expect(said(payment("MILESTONE_LOCKED"))).toContain("undecided.resumes");
});

test("only an independent oracle's proof prevents the payer from reclaiming what no milestone has released", () => {
  expect(said(payment("MILESTONE_LOCKED", independent))).toContain("rule.reclaim.milestonesByOracle");
  expect(said(payment("MILESTONE_LOCKED", independent), PAYER)).toContain(
    "rule.reclaimAt.milestonesByOracle",
  );
  for (const terms of [{}, automatic, { deliveryOracle: PAYEE }]) {
    expect(said(payment("MILESTONE_LOCKED", terms))).toContain("rule.reclaim.milestones");
  }
});

test("once the payment is paid, the delivery deadline is shown as a date", () => {
  expect(said(payment("DELIVERY_PROOF"), PAYER)).toContain("rule.reclaimAt.proof");
});
