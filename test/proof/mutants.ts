// The proof without one fix: the law that the fix protects is contradicted.
import { PROOF_FIXES, type ProofFix } from "./model/fixes.ts";
import { obligationsOfOrders, obligationsOfSource } from "./proof.ts";
import type { Obligation } from "./smt/obligation.ts";
import { readSource } from "./solidity/source.ts";

const CONTRADICTED: Record<ProofFix, string> = {
  F1: "4 own word: submitDeliveryProof makes an order proven on grounds that the type grants",
  F3: "4 own word: markShipped rests on the independent oracle where there is one",
  F4: "3 vested: submitDeliveryProof by somebody else leaves the payer what the payer can take",
  F5: "3 vested: raiseDispute by somebody else leaves the payer what the payer can take",
  F6: "5 own rights: a milestone that the payer releases voids no signature of the oracle",
  F7: "5 own rights: terms that name a payer are funded by that payer's own call or signature",
  F8: "6 destinations: claimCredit sends refunds to the payer, withdrawals to the payee, settlements to the off-ramp",
  F9: "4 own word: releaseMilestone releases on the grounds that the type grants",
  F11: "5 own rights: an agreement ends the dispute that it names, in time and with both signatures",
  F13: "1 solvency: settle: the token's balance still covers every order and credit",
  "payee's exit stays": "3 vested: raiseDispute by somebody else leaves the payee what the payee can take",
  "own dispute resumes": "4 own word: the merchant's dispute and silence release and return nothing",
  "payee releases a proven order":
    "2 exit: the payee takes a proven rest by two calls at most, once deadline and lock are over",
  "dispute extends the deadline":
    "5 own rights: raiseDispute: only a dispute moves the delivery deadline, by its window and the terms'",
  "merchant's dispute ends before the lock":
    "5 own rights: after a merchant's dispute before the lock's end the payer raises one for as long as the terms' window",
  "operator is not the arbiter": "4 own word: createOrder makes nobody the judge of their own dispute",
  "windows are bounded": "2 exit: raiseDispute does not postpone it",
};

/** Source changes, each with the obligation that can then no longer be proven. */
const EDITS = [
  [
    "deliverBy << 160",
    "deliverBy << 161",
    "packing: withDispute sets the dispute, moves the delivery deadline by the delay, and keeps the rest",
  ],
  [
    "word &= ~MERCHANT_LATEST;",
    "",
    "packing: withDispute sets the dispute, moves the delivery deadline by the delay, and keeps the rest",
  ],
  ["letters * 39", "letters * 7", "helpers: _hex writes every 16 bytes as 32 lower-case hex characters"],
  [
    'keccak256("payer") : keccak256("merchant")',
    'keccak256("merchant") : keccak256("payer")',
    "helpers: disputeAgreementHash is the hash of the fields of DisputeAgreement, in their order",
  ],
] as const;

export interface Mutant {
  /** The fix that is removed or the source change. */
  name: string;
  /** An obligation that must be contradicted. */
  obligation: Obligation;
}

export function mutants(): Mutant[] {
  const ofModel = PROOF_FIXES.map((fix) => ({
    name: `without ${fix}`,
    obligation: find(obligationsOfOrders(fix), CONTRADICTED[fix]),
  }));
  const ofSource = EDITS.map(([text, replacement, wanted]) => ({
    name: `with '${replacement}' for '${text}'`,
    obligation: find(obligationsOfSource(readSource((source) => source.replace(text, replacement))), wanted),
  }));
  return [...ofModel, ...ofSource];
}

function find(obligations: readonly Obligation[], wanted: string): Obligation {
  const found = obligations.find(({ part, name }) => `${part}: ${name}` === wanted);
  if (!found) throw new Error(`There is no obligation '${wanted}'.`);
  return found;
}
