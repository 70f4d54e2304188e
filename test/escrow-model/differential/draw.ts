// Draws random terms, times and calls. Most draws are close to what an order allows, because purely random ones are
// nearly all rejected.
import type { Random } from "#test/faults/random.ts";
import { type Call, type Context, isRefused } from "../calls.ts";
import { apply } from "../operations/apply.ts";
import { hasUnreleasedStatus, isOpen, type Order, unreleased } from "../order.ts";
import {
  type Address,
  ESCROW,
  MAX_DELIVERY_PERIOD,
  MAX_DISPUTE_WINDOW,
  MIN_DISPUTE_WINDOW,
  RELEASE_TYPES,
  type Terms,
  ZERO,
} from "../terms.ts";
import { START } from "./chain.ts";
import { momentsBeside } from "./moments.ts";
import { isRefusedByOneGuard } from "./one-guard.ts";
import { PEOPLE } from "./people.ts";
import { MODES, type Mode, type TokenBehaviour, WELL_BEHAVED } from "./token.ts";

const FUNDED_AT = START + 1_000;
const EXPECTED_HASH = "expected";
const MAX_UINT120 = (1n << 120n) - 1n;
const MAX_UINT256 = (1n << 256n) - 1n;
const MAX_UINT40 = 2 ** 40 - 1;
/** Maximum number of draws to find an informative call. */
const ATTEMPTS = 150;

export function drawTerms(random: Random): Terms {
  const oddly = <T>(usual: T, odd: readonly T[], chance = 0.03): T =>
    random.happens(chance) ? random.one(odd) : usual;
  // An IMMEDIATE order allows few calls, so it is drawn rarely.
  const releaseType = random.happens(0.1) ? "IMMEDIATE" : random.one(RELEASE_TYPES);
  const deliveryPeriod = oddly(random.one([1, 400, 400, 400, 86_400, MAX_DELIVERY_PERIOD]), [
    0,
    MAX_DELIVERY_PERIOD + 1,
  ]);
  const ends = FUNDED_AT + deliveryPeriod;
  const locks = [
    1,
    FUNDED_AT,
    FUNDED_AT + 1,
    FUNDED_AT + 150,
    FUNDED_AT + 200,
    FUNDED_AT + 300,
    ends - 1,
    ends,
  ];
  const lock = random.one(locks.filter((end) => end <= ends));
  const timeLocked = releaseType === "TIME_LOCKED";
  return {
    operator: oddly("operator", ["payee", "payer", "offRamp"]),
    arbiter: oddly("arbiter", [ZERO, "payee", "payer", "operator", "operator", "offRamp"], 0.08),
    deliveryOracle: random.happens(0.75)
      ? random.one([ZERO, "oracle"])
      : random.one(["payee", "operator", "arbiter", "payer", "offRamp", ESCROW]),
    payee: oddly("payee", [ZERO, ESCROW, "payer", "operator", "stranger"]),
    payer: random.one([ZERO, "payer", oddly("payer", ["rival", "operator"])]),
    offRamp: oddly("offRamp", [ZERO, ESCROW, "payer", "payee", "operator"]),
    amount: oddly(random.one([1n, 2n, 3n, 4n, 1_000_000_007n, MAX_UINT120]), [0n]),
    fundingDeadline: oddly(FUNDED_AT + 100, [FUNDED_AT - 1, FUNDED_AT]),
    deliveryPeriod,
    disputeWindow: oddly(random.one([MIN_DISPUTE_WINDOW, MIN_DISPUTE_WINDOW, 61, 100, MAX_DISPUTE_WINDOW]), [
      MIN_DISPUTE_WINDOW - 1,
      MAX_DISPUTE_WINDOW + 1,
    ]),
    timeLockUntil: timeLocked ? oddly(lock, [0, ends + 1]) : oddly(0, [1, ends]),
    releaseType,
    autoReleaseOnProof: random.happens(0.5),
    expectedDeliveryHash: random.happens(0.5) ? EXPECTED_HASH : null,
  };
}

export const firstMoment = () => FUNDED_AT;

/** Returns the current time, a slightly later one, or one next to a boundary. */
export function drawMoment(random: Random, terms: Terms, order: Order | null, now: number): number {
  const disputed = order?.status === "Disputed" && now <= order.disputeDeadline;
  if (disputed && random.happens(0.25)) return Math.max(now, order.disputeDeadline + random.integer(-1, 1));
  if (random.happens(order ? 0.7 : 0.9)) return now;
  if (random.happens(0.3)) return now + random.integer(1, 100);
  const boundaries = momentsBeside(terms, order).filter((moment) => moment > now);
  const nearest = boundaries.slice(0, 3);
  if (boundaries.length === 0) return now;
  return random.one(random.happens(0.7) ? nearest : boundaries);
}

/** @param funded before funding, there is no balance to seize */
export function drawBehaviour(random: Random, funded: boolean): TokenBehaviour {
  if (random.happens(0.5)) return WELL_BEHAVED;
  if (funded && random.happens(0.1)) return { ...WELL_BEHAVED, seized: true };
  if (random.happens(0.5))
    return {
      ...WELL_BEHAVED,
      blocked: [random.one(["payer", "payer", "payer", "payee", "offRamp", "rival", ESCROW])],
    };
  return { ...WELL_BEHAVED, mode: random.one(Object.keys(MODES) as Mode[]) };
}

export interface Drawn {
  caller: Address;
  call: Call;
}

/** @param contextFor returns the context in which the model evaluates a call */
export function drawCall(
  random: Random,
  terms: Terms,
  order: Order | null,
  now: number,
  contextFor: (drawn: Drawn) => Context,
): Drawn {
  let operation = drawName(random, terms, order);
  let drawn = drawAnyCall(random, operation, terms, order, now);
  if (random.happens(0.1)) return drawn;
  const accepted = random.happens(0.6);
  // Most calls that end the order are redrawn, because rare states occur late.
  const mayEnd = random.happens(0.25);
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const context = contextFor(drawn);
    const result = apply(order, drawn.call, context);
    if (isRefused(result)) {
      if (!accepted && isRefusedByOneGuard({ order, call: drawn.call, context })) break;
    } else if (accepted && (mayEnd || !endsOrder(order, result.state))) break;
    // Draws several calls per operation, so that operations that are rarely possible are not crowded out.
    if (attempt % 8 === 0) operation = drawName(random, terms, order);
    drawn = drawAnyCall(random, operation, terms, order, now);
  }
  return drawn;
}

const endsOrder = (before: Order | null, after: Order) =>
  before !== null && hasUnreleasedStatus(before) && !hasUnreleasedStatus(after);

const OPERATIONS = [
  "createOrder",
  "markShipped",
  "submitDeliveryProof",
  "release",
  "releaseTimeLocked",
  "releaseMilestone",
  "settle",
  "withdraw",
  "refund",
  "reclaim",
  "raiseDispute",
  "resolveDispute",
  "resolveDisputeByAgreement",
  "resolveExpiredDispute",
  "claimCredit",
] as const satisfies Call["name"][];
type Operation = (typeof OPERATIONS)[number];

/** Rarely reached states receive more of the calls that end them. */
function drawName(random: Random, { releaseType, deliveryOracle }: Terms, order: Order | null): Operation {
  if (order && order.credit > 0n && random.happens(0.3)) return "claimCredit";
  if (order?.status === "Disputed" && random.happens(0.4))
    return random.one(["resolveDispute", "resolveDisputeByAgreement", "resolveExpiredDispute"]);
  if (order?.status === "Disputed" && deliveryOracle !== ZERO && random.happens(0.3))
    return "submitDeliveryProof";
  if (order && isOpen(order) && random.happens(releaseType === "TIME_LOCKED" ? 0.3 : 0.15))
    return "raiseDispute";
  if (releaseType === "MILESTONE_LOCKED" && random.happens(0.2)) return "releaseMilestone";
  return random.one(order && random.happens(0.9) ? OPERATIONS.slice(1) : OPERATIONS);
}

function drawAnyCall(
  random: Random,
  operation: Operation,
  terms: Terms,
  order: Order | null,
  now: number,
): Drawn {
  const { operator, payee, arbiter, deliveryOracle } = terms;
  const payer = order?.payer ?? random.one(["payer", "payer", "payer", "rival"]);
  const parties = [operator, payee, payer, arbiter, deliveryOracle].filter(isPerson);
  const caller = random.one(random.happens(0.7) ? parties : PEOPLE);
  // Before funding, only createOrder is possible.
  const possible = order || random.happens(0.15) ? operation : "createOrder";
  return { caller, call: drawOperation(random, possible, terms, order, now, caller, payer) };
}

const isPerson = (name: Address) => (PEOPLE as readonly Address[]).includes(name);

function drawOperation(
  random: Random,
  operation: Operation,
  terms: Terms,
  order: Order | null,
  now: number,
  caller: Address,
  payer: Address,
): Call {
  /** Returns no signer, the right signer, or another person. */
  const signedBy = (...right: Address[]): Address[] => {
    const signers = random.happens(0.7) ? right : random.one([[], [random.one(PEOPLE)], right.slice(0, 1)]);
    return signers.filter(isPerson);
  };
  const byOracle = () => (random.happens(0.4) ? { signers: signedBy(terms.deliveryOracle) } : {});
  const rest = order ? unreleased(order, terms) : terms.amount;
  const released = order?.released ?? 0n;
  const amount = () =>
    random.one([0n, 1n, rest / 2n, rest, rest + 1n, terms.amount, terms.amount + 1n, MAX_UINT256]);
  const cumulative = () =>
    random.one([released, released + 1n, released + rest / 2n, released + rest, amount()]);
  const expiry = () => random.one([now - 1, now, now + 1, now + 1_000]);
  switch (operation) {
    case "createOrder":
      if (random.happens(0.5)) return { name: operation, payer: caller };
      return { name: operation, payer, signers: signedBy(payer) };
    case "markShipped":
      return { name: operation, ...byOracle() };
    case "submitDeliveryProof":
      return { name: operation, proofHash: random.one([EXPECTED_HASH, "other"]), ...byOracle() };
    case "releaseMilestone":
      return { name: operation, cumulative: cumulative(), ...byOracle() };
    case "refund":
      return { name: operation, amount: amount() };
    case "raiseDispute": {
      const window = drawWindow(random, terms, now);
      if (random.happens(0.6)) return { name: operation, window };
      return { name: operation, window, signers: signedBy(payer), expiry: expiry() };
    }
    case "resolveDispute":
      return { name: operation, payeeAmount: amount() };
    case "resolveDisputeByAgreement":
      return {
        name: operation,
        payeeAmount: amount(),
        dispute: random.one([1, 2, order?.disputes ?? 1]),
        expiry: expiry(),
        signers: signedBy(payer, terms.payee),
      };
    default:
      return { name: operation };
  }
}

/** Returns a window near the shortest, the longest, or the longest one that a lock allows the merchant. */
function drawWindow(random: Random, { disputeWindow, timeLockUntil }: Terms, now: number): number {
  const beforeLock = timeLockUntil - now - 2;
  const beside = [disputeWindow, disputeWindow, disputeWindow - 1, disputeWindow + 1];
  const windows = [...beside, 0, 500, MAX_DISPUTE_WINDOW, MAX_DISPUTE_WINDOW + 1, MAX_UINT40];
  if (beforeLock > 0 && random.happens(0.5)) return beforeLock + random.integer(-1, 2);
  return random.one(windows);
}
