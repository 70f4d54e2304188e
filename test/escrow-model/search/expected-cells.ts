// The worst result of each coalition, derived by hand from the laws and the release types and never from the search.
// contracts/README.md describes the same rules in prose. The first matching rule applies.
import { releasesOnProof } from "../terms.ts";
import { AMOUNT, HALF, type Role, type Scenario, termsWith } from "./scenario.ts";

/** The share of AMOUNT that reaches the coalition's addresses. The off-ramp counts as the operator's address. */
export interface Cell {
  /** If the others stay silent, before the lock ends or, without a lock, within the delivery deadline. */
  early: bigint;
  /** If the others stay silent, with unlimited time. */
  silent: bigint;
  /** If the others make their best reply. */
  reply: bigint;
}

interface Rule {
  when: (scenario: Scenario) => boolean;
  cell: (scenario: Scenario) => Cell;
  because: string;
}

const NOTHING: Cell = { early: 0n, silent: 0n, reply: 0n };
const ALL: Cell = { early: AMOUNT, silent: AMOUNT, reply: AMOUNT };
const HALF_OF_IT: Cell = { early: HALF, silent: HALF, reply: HALF };

const has =
  (...roles: Role[]) =>
  ({ members }: Scenario) =>
    roles.every((role) => members.includes(role));
const isMerchantSide = (scenario: Scenario) => has("payee")(scenario) || has("operator")(scenario);
const isPayerSide = has("payer");
const isType =
  (...types: string[]) =>
  ({ kind }: Scenario) =>
    types.includes(kind.releaseType);
const isByProof = isType("DELIVERY_PROOF", "AUTO_RELEASE");
const isIndependent = ({ kind }: Scenario) => kind.oracle === "independent";
const isFair = ({ arbiter }: Scenario) => arbiter === "fair";

/** Whether the coalition can prove delivery: with the oracle if one is set, otherwise with the payee or operator. */
function provesDelivery(scenario: Scenario): boolean {
  const { oracle } = scenario.kind;
  if (oracle === "none") return isMerchantSide(scenario);
  return has(oracle === "independent" ? "oracle" : oracle)(scenario);
}

const shipsOrder = (scenario: Scenario) =>
  isIndependent(scenario) ? has("oracle")(scenario) : isMerchantSide(scenario);

export const RULES: readonly Rule[] = [
  {
    when: (s) => isType("IMMEDIATE")(s) && isMerchantSide(s),
    cell: () => ALL,
    because: "An IMMEDIATE order is the merchant's from its funding on.",
  },
  {
    when: isType("IMMEDIATE"),
    cell: () => NOTHING,
    because: "An IMMEDIATE order is the merchant's from its funding on.",
  },
  {
    when: (s) => isPayerSide(s) && isMerchantSide(s),
    cell: () => ALL,
    because: "Payer and merchant together are both parties: payee or operator refund at once.",
  },
  {
    when: (s) => has("arbiter")(s) && (isPayerSide(s) || isMerchantSide(s)),
    cell: () => ALL,
    because: "An arbiter who colludes with a side that can raise a dispute decides for that side.",
  },
  {
    when: (s) => !isPayerSide(s) && !isMerchantSide(s),
    cell: () => NOTHING,
    because: "Law 6: funds reach only payer, payee and offRamp.",
  },

  // Rules for the merchant's side.
  {
    when: (s) => isMerchantSide(s) && isByProof(s) && !provesDelivery(s),
    cell: () => NOTHING,
    because: "Law 4: nothing is released without the oracle's proof.",
  },
  {
    when: (s) =>
      isMerchantSide(s) && isByProof(s) && (releasesOnProof(termsWith(s.kind)) || has("operator")(s)),
    cell: () => ALL,
    because: "The release type grants it: the proof releases, or the operator does after it.",
  },
  {
    when: (s) => isMerchantSide(s) && isByProof(s),
    cell: (s) => ({ early: 0n, silent: AMOUNT, reply: isFair(s) ? 0n : AMOUNT }),
    because:
      "A manual release of a proven order is the payee's after the delivery deadline. A dispute before it reaches a " +
      "fair arbiter; a silent one leaves the proof, which was first, as it was.",
  },
  {
    when: (s) => isMerchantSide(s) && isType("MILESTONE_LOCKED")(s) && has("oracle")(s),
    cell: () => ALL,
    because: "The independent oracle releases milestones.",
  },
  {
    when: (s) =>
      isType("MILESTONE_LOCKED")(s) &&
      has("operator")(s) &&
      s.kind.oracle === "none" &&
      s.kind.autoReleaseOnProof,
    cell: () => ALL,
    because: "With autoReleaseOnProof and no oracle the operator releases milestones.",
  },
  {
    when: (s) => isMerchantSide(s) && isType("MILESTONE_LOCKED")(s),
    cell: (s) => (s.kind.signedHalf ? HALF_OF_IT : NOTHING),
    because:
      "Only the payer or an independent oracle releases: what the oracle has signed, and nothing else.",
  },
  {
    when: (s) => isMerchantSide(s) && !shipsOrder(s),
    cell: () => NOTHING,
    because: "Only the independent oracle ships or proves a TIME_LOCKED order that has one.",
  },
  {
    when: (s) => isMerchantSide(s) && s.kind.lock === "past",
    cell: () => ALL,
    because: "A lock that has ended releases as soon as the order is shipped.",
  },
  {
    when: isMerchantSide,
    cell: (s) => ({
      early: 0n,
      silent: AMOUNT,
      reply: !isFair(s) && (has("oracle")(s) || has("operator", "payee")(s)) ? AMOUNT : 0n,
    }),
    because:
      "A lock ends by time for a shipped order, never before. A dispute before its end reaches a fair arbiter; payee " +
      "or operator, when they are not of the coalition, refund an order that no independent oracle has proven.",
  },

  // Rules for the payer's side.
  {
    when: (s) => isByProof(s) && !isIndependent(s),
    cell: (s) => (isFair(s) ? { early: 0n, silent: AMOUNT, reply: 0n } : ALL),
    because:
      "Law 4: without an independent oracle a dispute before any proof refunds if the arbiter stays silent. Under a " +
      "fair one only a merchant who does nothing until the delivery deadline loses the order.",
  },
  {
    when: isFair,
    cell: () => ({ early: 0n, silent: AMOUNT, reply: 0n }),
    because: "The payee disputes in time, or the delivery is proven.",
  },
  {
    when: (s) => isType("MILESTONE_LOCKED")(s) && s.kind.signedHalf,
    cell: () => ({ early: 0n, silent: AMOUNT, reply: AMOUNT - HALF }),
    because: "The oracle's signature is cumulative: nothing that the payer does voids it.",
  },
  {
    when: (s) => isIndependent(s) && !has("oracle")(s),
    cell: () => ({ early: 0n, silent: AMOUNT, reply: 0n }),
    because: "The oracle proves the delivery, in a dispute too; without it the order is reclaimed.",
  },
  {
    when: isIndependent,
    cell: () => ({ early: 0n, silent: AMOUNT, reply: AMOUNT }),
    because: "An oracle that keeps silent proves nothing: the payer reclaims after the delivery deadline.",
  },
  {
    when: isType("TIME_LOCKED"),
    cell: () => ({ early: 0n, silent: AMOUNT, reply: 0n }),
    because: "The merchant ships, and the lock ends by time; only an order that is not shipped is reclaimed.",
  },
  {
    when: (s) => s.kind.oracle === "none" && s.kind.autoReleaseOnProof,
    cell: () => ({ early: 0n, silent: AMOUNT, reply: 0n }),
    because: "The operator releases the milestones in time; what nobody releases is reclaimed.",
  },
  {
    when: () => true,
    cell: () => ({ early: 0n, silent: AMOUNT, reply: AMOUNT }),
    because:
      "Only the payer releases these milestones: what is not released is reclaimed after the deadline.",
  },
];

/** Returns the cell of a scenario with the reason for it. */
export function expectedCell(scenario: Scenario): Cell & { because: string } {
  const rule = RULES.find(({ when }) => when(scenario));
  if (!rule) throw new Error("There is no rule for this scenario.");
  return { ...rule.cell(scenario), because: rule.because };
}
