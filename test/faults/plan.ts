// The plan of one run: its payments, how each proceeds, and which faults occur when. The plan is a pure function of the
// seed, although the run's speed depends on the machine.
import { parseUnits } from "viem";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { CURRENCIES, CURRENCY_DECIMALS, type Currency, decimalsOf } from "#core/money.ts";
import { Random } from "./random.ts";

/** How a payment proceeds. */
export const STORIES = [
  "auto_release",
  "manual_release",
  "payer_release",
  "immediate",
  "time_lock_past",
  "time_lock_future",
  "milestones",
  "dispute_arbiter",
  "dispute_agreement",
  "dispute_timeout",
  "dispute_resumed",
  "partial_refund",
  "bound_payer",
  "refund",
  "reclaim",
  "withdraw",
  "late_funding",
  "double_spend",
  "lost_paid",
  "lost_funded",
] as const;
export type Story = (typeof STORIES)[number];

/**
 * The outcome of a payout. The destination's prefix controls the simulated providers (settlement/off-ramp/README.md).
 */
export const FATES = ["arrives", "fail_once", "fail", "returned", "lost_answer", "slow"] as const;
export type Fate = (typeof FATES)[number];

/** Operators pay by hand if a bank rejects a payout permanently; a bank may return a payout that arrived long ago. */
export const ENDINGS = ["paid_by_hand", "late_return"] as const;
export type Ending = (typeof ENDINGS)[number];

export const METHODS = ["OFF_RAMP_MOCK", "OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"] as const;

export type PlannedPayment = {
  /** Unique across all seeds. It is part of the destination, by which the banks' books identify the payment. */
  name: string;
  /** Milliseconds after the start. */
  at: number;
  story: Story;
  currency: Currency;
  /** In the smallest unit. */
  amount: bigint;
  method: SettlementMethod;
  fate: Fate;
  destination: string;
  /** What happens after the payout has ended; null for nothing. */
  ending: Ending | null;
  /** Whether the gateway relays the payer's signature or the payer sends the transaction. */
  funding: "signature" | "transaction";
  /** The amount that the payee gets if everything succeeds. The payer gets the rest back. */
  payeeAmount: bigint;
  /** The amounts of the milestones, in order. Empty for other stories. */
  milestones: bigint[];
  /** Whether the delivery is proven before a dispute that nobody resolves. */
  proven: boolean;
  key: `0x${string}`;
};

export const FAULT_KINDS = [
  "kill_api",
  "kill_settlement",
  "kill_indexer",
  "kill_postgres",
  "rpc_fails",
  "rpc_slow",
  "rpc_lags",
  "rpc_lies_block",
  "rpc_lies_logs",
  "rpc_lies_receipt",
  "reorg",
  "deep_reorg",
  "provider_down",
  "provider_slow",
  "provider_loses_answers",
  "webhooks_repeated",
  "webhooks_reversed",
  "webhooks_forged",
  "webhooks_silent",
  "clock_jumps",
  "kill_switch",
  "merchant_retries",
  "wrong_tokens",
  "other_account",
  "failover",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type PlannedFault = {
  kind: FaultKind;
  /** Milliseconds after the start. */
  at: number;
  /** Duration in milliseconds. */
  forMs: number;
  /** Number of blocks of a reorg, a lag or a false chain head; seconds of a clock jump. */
  size: number;
  /** The share of affected requests, from 0 to 1. */
  share: number;
};

export type Plan = {
  seed: number;
  payments: PlannedPayment[];
  faults: PlannedFault[];
  /** Faults after locks, windows and deadlines have passed. Their `at` starts at that time. */
  laterFaults: PlannedFault[];
};

/**
 * Payments that a failover loses completely: they are created, and paid out or funded, after the standby's last write.
 */
export const LOST: readonly Story[] = ["lost_paid", "lost_funded"];
/** Stories that belong to a fault. They are not drawn at random. */
const SPECIAL: readonly Story[] = ["double_spend", ...LOST];
/** Stories without a fate: they have no payout, or their bank account is lost before a second payout could be made. */
const UNPAID: readonly Story[] = ["refund", "reclaim", "late_funding", ...SPECIAL];
/**
 * Stories with a partial payout. DIVISIBLE is added to their amount so that the smallest part is not below a bank's
 * minimum.
 */
const DIVIDED: readonly Story[] = ["milestones", "dispute_arbiter", "dispute_agreement", "partial_refund"];
const DIVISIBLE = 100;
/**
 * Bounds for the number of usual stories. A payment that a reorg removes, and two that a failover loses, may be added.
 */
const FEWEST = 10;
const MOST = 14;
/** One in this many runs has a deep reorg that removes a payment permanently. */
const ONE_RUN_IN = 4;
/** One in this many runs has a database failover. */
const ONE_FAILOVER_IN = 5;
/** The latest start of a payment. */
const BEGIN_MS = 3_000;
const FAULTS_MS = 5_000;
const LATER_FAULTS_MS = 1_500;
/** The time at which the first payouts are possible. */
const PAYOUTS_MS = 2_000;
/** Time within which a payment is usually paid out and then reorged. */
const DEEP_MS = 4_000;

const DESTINATION: Record<Fate, string> = {
  arrives: "account_",
  fail_once: "fail_once_",
  fail: "fail_",
  returned: "returned_",
  lost_answer: "lost_answer_",
  slow: "slow_",
};

const roundToCents = (amount: bigint, currency: Currency): bigint =>
  amount - (amount % 10n ** BigInt(decimalsOf(currency) - 2));

function partsOf(random: Random, amount: bigint, currency: Currency): bigint[] {
  const count = random.integer(2, 3);
  const parts = Array.from({ length: count - 1 }, (_, i) =>
    roundToCents((amount * BigInt(i + 1)) / 7n, currency),
  );
  return [...parts, amount - parts.reduce((sum, part) => sum + part, 0n)];
}

type Divided = Pick<PlannedPayment, "story" | "amount" | "currency" | "proven">;

function payeeAmountOf(random: Random, { story, amount, currency, proven }: Divided): bigint {
  if (story === "refund" || story === "reclaim" || story === "late_funding") return 0n;
  if (story === "dispute_timeout") return proven ? amount : 0n;
  if (story === "partial_refund")
    return roundToCents((amount * BigInt(random.integer(1, 99))) / 100n, currency);
  if (story !== "dispute_arbiter" && story !== "dispute_agreement") return amount;
  return random.one([amount, 0n, roundToCents((amount * BigInt(random.integer(1, 99))) / 100n, currency)]);
}

/**
 * Returns the ending of a payment that is paid out. A payee's own withdrawal may precede the payout, and payments that
 * a fault removes have a separate ending.
 */
function endingOf(
  random: Random,
  { story, fate, method, payeeAmount }: Pick<PlannedPayment, "story" | "fate" | "method" | "payeeAmount">,
): Ending | null {
  if (payeeAmount === 0n || story === "withdraw" || UNPAID.includes(story)) return null;
  if (fate === "fail") return random.happens(0.5) ? "paid_by_hand" : null;
  return fate === "arrives" && method !== "OFF_RAMP_MOCK" && random.happens(0.2) ? "late_return" : null;
}

function paymentOf(random: Random, seed: number, index: number, story: Story): PlannedPayment {
  const name = `s${seed}p${index}`;
  const currency = random.one(CURRENCIES);
  const amount = parseUnits(
    `${random.integer(1, 5_000) + (DIVIDED.includes(story) ? DIVISIBLE : 0)}.${String(random.integer(0, 99)).padStart(2, "0")}`,
    CURRENCY_DECIMALS[currency],
  );
  const proven = random.happens(0.5);
  const fate = UNPAID.includes(story) || random.happens(0.6) ? "arrives" : random.one(FATES);
  const method = random.one(METHODS);
  const payeeAmount = payeeAmountOf(random, { story, amount, currency, proven });
  return {
    ...{ name, story, currency, amount, method, fate, proven, payeeAmount },
    ending: endingOf(random, { story, fate, method, payeeAmount }),
    at: story === "double_spend" ? 0 : random.integer(0, BEGIN_MS),
    destination: `${DESTINATION[fate]}${name}`,
    funding:
      story === "late_funding" || story === "double_spend" || random.happens(0.25)
        ? "transaction"
        : "signature",
    milestones: story === "milestones" ? partsOf(random, amount, currency) : [],
    key: random.word(),
  };
}

const LENGTH: Partial<Record<FaultKind, [number, number]>> = {
  rpc_lies_block: [150, 600],
  rpc_lies_logs: [150, 600],
  rpc_lies_receipt: [300, 1_500],
};

function faultOf(random: Random, kind: FaultKind, until: number): PlannedFault {
  const [shortest, longest] = LENGTH[kind] ?? [500, 3_000];
  const sizes: Partial<Record<FaultKind, [number, number]>> = {
    reorg: [1, 4],
    rpc_lags: [1, 6],
    rpc_lies_block: [1, 3],
    clock_jumps: [30, 4_000],
    kill_switch: [0, 2],
  };
  const [least, most] = sizes[kind] ?? [0, 0];
  // There is nothing to pay out before this time.
  const from = /^(provider|webhooks)_/.test(kind) ? PAYOUTS_MS : 0;
  return {
    kind,
    at: from + random.integer(0, until),
    forMs: random.integer(shortest, longest),
    size: random.integer(least, most),
    share: random.integer(20, 100) / 100,
  };
}

/** The deep reorg begins at the start of the run, together with the payment that it removes. */
const deepReorg = (random: Random): PlannedFault => ({
  ...{ kind: "deep_reorg", at: 0, forMs: 0, size: 28 },
  share: random.integer(50, 100) / 100,
});

/** @param seed a 32-bit integer */
export function planOf(seed: number): Plan {
  const random = new Random(seed);
  const deep = random.happens(1 / ONE_RUN_IN);
  const usual = STORIES.filter((story) => !SPECIAL.includes(story));
  const stories = random.shuffled(usual).slice(0, random.integer(FEWEST, MOST));
  const payments = [...stories, ...(deep ? (["double_spend"] as const) : [])].map((story, index) =>
    paymentOf(random, seed, index, story),
  );
  const kinds = FAULT_KINDS.filter((kind) => kind !== "deep_reorg" && kind !== "failover");
  const draw = (count: number, until: number) =>
    random
      .shuffled(kinds)
      .slice(0, count)
      .map((kind) => faultOf(random, kind, until));
  const faults = draw(random.integer(5, 9), FAULTS_MS);
  if (random.happens(0.5)) faults.push(faultOf(random, "reorg", FAULTS_MS));
  if (deep) {
    // In half of these runs, no other fault delays the payout of the removed payment.
    const waitMs = random.happens(0.5) ? DEEP_MS : 0;
    for (const fault of faults) fault.at += waitMs;
    faults.push(deepReorg(random));
  }
  // The failover is a later fault: by then, the standby has every other payment, and no other fault is active.
  const failsOver = random.happens(1 / ONE_FAILOVER_IN);
  const laterFaults = failsOver
    ? [faultOf(random, "failover", LATER_FAULTS_MS)]
    : draw(random.integer(1, 3), LATER_FAULTS_MS);
  if (failsOver) {
    for (const story of LOST) payments.push(paymentOf(random, seed, payments.length, story));
  }
  return { seed, payments, faults, laterFaults };
}
