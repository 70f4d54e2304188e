// Selects the sentences that apply to a payment: when its money moves, to whom, and what each side can do about it. The
// selection is based on the terms that the payer signs (contracts/IDeliveryVsPayment.sol).
import { type Address, isAddressEqual, zeroAddress } from "viem";
import { hasIndependentOracle, operatorReleasesMilestones } from "#core/chain/terms.ts";
import type { pay } from "./texts.ts";
import type { Verified } from "./verify.ts";

export type RuleKey = keyof typeof pay & (`rule.${string}` | `undecided.${string}`);
type Key = RuleKey;
type Kind = "proof" | "auto" | "lock" | "pastLock" | "milestones" | "immediate";

/** @param now Unix seconds */
function findKind({ releaseType, terms }: Verified, now: number): Kind {
  switch (releaseType) {
    case "IMMEDIATE":
      return "immediate";
    case "MILESTONE_LOCKED":
      return "milestones";
    case "TIME_LOCKED":
      return terms.timeLockUntil <= now ? "pastLock" : "lock";
    case "AUTO_RELEASE":
      return "auto";
    case "DELIVERY_PROOF":
      return terms.autoReleaseOnProof ? "auto" : "proof";
  }
}

export type Rules = {
  gist: `gist.${Kind}`;
  /** In display order. */
  rules: Key[];
  /** What happens to the payer's dispute if nobody decides it. */
  undecided: Key & `undecided.${string}`;
};

const isOneOf = (account: Address, others: Address[]): boolean =>
  others.some((other) => isAddressEqual(account, other));

/**
 * Returns whose proof counts as delivery. An oracle that is a party counts as the merchant, but only that oracle can
 * give the proof.
 */
function findProver({ terms }: Verified, payer: Address, independent: boolean): Key {
  const { deliveryOracle, payee, operator } = terms;
  if (independent) return "rule.provenByOracle";
  if (isOneOf(deliveryOracle, [zeroAddress, payee, operator])) return "rule.provenByMerchant";
  return isOneOf(deliveryOracle, [payer]) ? "rule.provenByPayer" : "rule.provenByParty";
}

function releaseRules(kind: Exclude<Kind, "immediate">, verified: Verified, payer: Address): Key[] {
  const { terms } = verified;
  const independent = hasIndependentOracle(terms, payer);
  switch (kind) {
    case "proof":
    case "auto":
      return [`rule.${kind}`, findProver(verified, payer, independent)];
    case "lock":
      return ["rule.lock", independent ? "rule.shippedByOracle" : "rule.shippedByMerchant"];
    case "pastLock":
      return ["rule.pastLock", independent ? "rule.shippedByOracle" : "rule.shippedByMerchant.pastLock"];
    case "milestones":
      if (independent) return ["rule.milestonesByOracle"];
      return operatorReleasesMilestones(terms) ? ["rule.milestonesByMerchant"] : ["rule.milestonesByPayer"];
  }
}

function describeDeadline(kind: Exclude<Kind, "immediate">, independent: boolean) {
  switch (kind) {
    case "proof":
    case "auto":
      return "proof";
    case "lock":
    case "pastLock":
      return "lock";
    case "milestones":
      return independent ? "milestonesByOracle" : "milestones";
  }
}

function describeUndecided(kind: Kind, independent: boolean): Rules["undecided"] {
  if (kind === "lock" || kind === "pastLock") return "undecided.resumes";
  if (independent) return "undecided.oracle";
  return kind === "milestones" ? "undecided.resumes" : "undecided.payer";
}

/**
 * @param payer the account that paid; undefined before payment
 * @param now Unix seconds
 */
export function buildRules(verified: Verified, payer: Address | undefined, now: number): Rules {
  const kind = findKind(verified, now);
  const knownPayer = payer ?? verified.terms.payer;
  const independent = hasIndependentOracle(verified.terms, knownPayer);
  const undecided = describeUndecided(kind, independent);
  const gist = `gist.${kind}` as const;
  if (kind === "immediate") return { gist, rules: ["rule.immediate"], undecided };
  const reclaim = payer === undefined ? "rule.reclaim" : "rule.reclaimAt";
  return {
    gist,
    rules: [
      "rule.held",
      ...releaseRules(kind, verified, knownPayer),
      `${reclaim}.${describeDeadline(kind, independent)}`,
      "rule.refund",
      "rule.dispute",
      undecided,
      "rule.merchantsDispute",
    ],
    undecided,
  };
}
