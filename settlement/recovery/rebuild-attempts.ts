// Rebuilds payout attempts that the database has lost, from the provider's transfers.
import type { payout } from "#core/db/schema/payouts.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { newId } from "#core/ids.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import { type FeeBearer, nextAmounts } from "#core/payouts/try-again.ts";
import type { Transfer } from "../off-ramp/off-ramp.ts";

export type PayoutRow = typeof payout.$inferSelect;
export type NewPayout = typeof payout.$inferInsert;
export type AccountTransfer = { account: string; transfer: Transfer };

/** The failure reason of an attempt that was never ordered. */
export const NEVER_ORDERED = "The provider has no transfer for this attempt, but has one for a later attempt";

/** Maximum number of retries that are followed. */
const MOST_ATTEMPTS = 20;

/** The maximum number of milestones that one settlement may pay. */
export const MOST_PARTS = 50;

/** One part of a settlement: its stored attempts, or its first attempt. */
export type Slot = Pick<
  NewPayout,
  "intentId" | "settlementNumber" | "settlementTxHash" | "settlementBlock" | "settledAt" | "settlementAmount"
> &
  Pick<PayoutRow, "part" | "method" | "destination" | "currency"> & {
    /** The latest stored attempt; null if there is none. */
    latest: PayoutRow | null;
    /** The amount of the first attempt. */
    amount: bigint;
  };

export type Rebuilt = {
  rows: NewPayout[];
  /** The attempts for which the provider is queried. */
  toAsk: string[];
  /**
   * Set if the latest stored attempt has to be ended, because the provider never had it and a later one exists. The
   * amount is what it was for: a payout may have been reduced after the stored state.
   */
  endLatest?: Pick<PayoutRow, "amount">;
};

/** Transfers by attempt number. */
export type Attempts = ReadonlyMap<number, AccountTransfer>;

/** The number of a settlement and of one of its parts. */
type Place = Pick<Slot, "part"> & { settlementNumber: number };

/** Counts the parts that a payment has had up to a place, because every earlier settlement has at least one. */
export const rankPlace = ({ settlementNumber, part }: Place): number => settlementNumber + part;

/**
 * Lists the places that a payment may have had, lowest rank first.
 * @param most the maximum number of parts
 */
export function* listPlaces(most: number): Generator<Place> {
  for (let rank = 1; rank <= most; rank++) {
    for (let settlementNumber = 1; settlementNumber <= rank; settlementNumber++) {
      yield { settlementNumber, part: rank - settlementNumber };
    }
  }
}

/** Finds the transfers of the attempts after the latest stored one, by attempt number. */
export function findAttempts(
  deployment: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  { intentId, settlementNumber, part }: Pick<Slot, "intentId" | "settlementNumber" | "part">,
  after: number,
  transfers: ReadonlyMap<string, AccountTransfer>,
): Attempts {
  const found = new Map<number, AccountTransfer>();
  for (let attempt = after + 1; attempt <= after + MOST_ATTEMPTS; attempt++) {
    const one = transfers.get(payoutReference(deployment, { intentId, settlementNumber, part, attempt }));
    if (one) found.set(attempt, one);
  }
  return found;
}

type Amounts = Pick<PayoutRow, "state" | "amount" | "fee" | "deducted" | "covered">;

/**
 * Returns the attempt's amounts: the transfer's amount shows who bore the fee of a returned attempt, or that the attempt
 * was reduced. Undefined if neither explains it.
 * @param knowsFee whether the attempt before has a fee that its provider reports now
 */
function amountsAfter(
  before: Amounts,
  transfer: Transfer | undefined,
  bearer: FeeBearer,
  knowsFee: boolean,
): Pick<Amounts, "amount" | "deducted" | "covered"> | undefined {
  const usual = nextAmounts(before, bearer);
  if (!transfer) return usual;
  const { amount } = transfer;
  const proposed = [usual, nextAmounts(before, bearer === "merchant" ? "gateway" : "merchant")];
  const exact = proposed.find((one) => one.amount === amount);
  if (exact) return exact;
  return (before.state === "failed" || knowsFee) && amount < usual.amount ? { ...usual, amount } : undefined;
}

/** Returns what an attempt with an unexplained amount lacks: the database does not know the fee of the returned attempt. */
const unexplained = ({ amount, deducted, covered }: Amounts, transfer: Transfer) => ({
  deducted: deducted + (transfer.amount < amount ? amount - transfer.amount : 0n),
  covered,
});

/**
 * Returns the amounts of a stored attempt that the provider never had, as it ended. If it was never ordered, it may have
 * been reduced after the stored state: the later attempts show its amount.
 */
function endOpen(latest: PayoutRow, found: Attempts): Amounts {
  const [first] = found.values();
  const isReduced = latest.calledAt === null && first && first.transfer.amount < latest.amount;
  return { ...latest, state: "failed", amount: isReduced ? first.transfer.amount : latest.amount };
}

/**
 * Rebuilds the attempts between the stored ones and the last one with a transfer. An attempt without a transfer that
 * was followed by another attempt never paid, because merchants retry only failed attempts.
 * An attempt has the amount of its transfer, which was paid or may be.
 * @returns the reason why the attempts cannot be rebuilt, if a transfer contradicts the stored attempts
 */
export function rebuildAttempts(
  slot: Slot,
  found: Attempts,
  deployment: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  bearer: FeeBearer,
): Rebuilt | string {
  const { latest, amount, ...common } = slot;
  const last = Math.max(...found.keys());
  const isOpen = latest?.state === "created" || latest?.state === "quarantined";
  if (latest && !isOpen && latest.state !== "failed" && latest.state !== "returned") {
    return `attempt ${latest.attempt} is ${latest.state} in the database, although attempt ${last} exists`;
  }
  if (latest && isOpen && latest.providerId !== null) return `attempt ${latest.attempt} is still pending`;
  const ended = latest && isOpen ? endOpen(latest, found) : undefined;
  const rebuilt: Rebuilt = { rows: [], toAsk: [], ...(ended && { endLatest: ended }) };
  let before: Amounts | null = ended ?? latest;
  for (let attempt = (latest?.attempt ?? 0) + 1; attempt <= last; attempt++) {
    const one = found.get(attempt);
    const explained = before
      ? amountsAfter(before, one?.transfer, bearer, before !== latest && before.fee > 0n)
      : { amount, deducted: 0n, covered: 0n };
    // The worker finds this transfer by reference before it orders the next attempt of a payout that has ended.
    if (!explained && latest && !isOpen) return `the transfer of attempt ${attempt} has a different amount`;
    const { deducted = 0n, covered = 0n } =
      explained ?? (before && one ? unexplained(before, one.transfer) : (before ?? {}));
    const amounts = { deducted, covered, amount: one?.transfer.amount ?? explained?.amount ?? amount };
    const { intentId, settlementNumber, part } = common;
    const id = newId("payout");
    const retried = attempt < last;
    const named = {
      ...{ ...common, ...amounts, id, attempt, retried },
      reference: payoutReference(deployment, { intentId, settlementNumber, part, attempt }),
    };
    if (one) {
      const { account, transfer } = one;
      const { providerId, createdAt } = transfer;
      rebuilt.rows.push({ ...named, account, providerId, calledAt: createdAt });
      rebuilt.toAsk.push(id);
      before = {
        ...amounts,
        state: transfer.state === "returned" ? "returned" : "failed",
        fee: transfer.fee,
      };
    } else {
      rebuilt.rows.push({ ...named, state: "failed", failure: NEVER_ORDERED, nextAttemptAt: null });
      before = { ...amounts, state: "failed", fee: 0n };
    }
  }
  return rebuilt;
}
