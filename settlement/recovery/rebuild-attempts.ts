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
  /** Whether the latest stored attempt has to be ended, because the provider never had it and a later one exists. */
  endLatest: boolean;
};

/** Finds the transfers of the attempts after the latest stored one, by attempt number. */
export function findAttempts(
  deployment: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  { intentId, settlementNumber, part }: Pick<Slot, "intentId" | "settlementNumber" | "part">,
  after: number,
  transfers: ReadonlyMap<string, AccountTransfer>,
): Map<number, AccountTransfer> {
  const found = new Map<number, AccountTransfer>();
  for (let attempt = after + 1; attempt <= after + MOST_ATTEMPTS; attempt++) {
    const one = transfers.get(payoutReference(deployment, { intentId, settlementNumber, part, attempt }));
    if (one) found.set(attempt, one);
  }
  return found;
}

type Amounts = Pick<PayoutRow, "state" | "amount" | "fee" | "deducted" | "covered">;

/**
 * Returns the attempt's amounts: the transfer's amount shows who bore the fee. Undefined if neither bearer explains it.
 */
function amountsAfter(before: Amounts, transfer: Transfer | undefined, bearer: FeeBearer) {
  const bearers: FeeBearer[] = bearer === "merchant" ? ["merchant", "gateway"] : ["gateway", "merchant"];
  const proposed = bearers.map((one) => nextAmounts(before, one));
  return transfer ? proposed.find(({ amount }) => amount === transfer.amount) : proposed[0];
}

/**
 * Rebuilds the attempts between the stored ones and the last one with a transfer. An attempt without a transfer that
 * was followed by another attempt never paid, because merchants retry only failed attempts.
 * @returns the reason why the attempts cannot be rebuilt, if a transfer contradicts the stored attempts
 */
export function rebuildAttempts(
  slot: Slot,
  found: ReadonlyMap<number, AccountTransfer>,
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
  let before: Amounts | null = latest && { ...latest, ...(isOpen && { state: "failed" as const }) };
  const rebuilt: Rebuilt = { rows: [], toAsk: [], endLatest: isOpen };
  for (let attempt = (latest?.attempt ?? 0) + 1; attempt <= last; attempt++) {
    const one = found.get(attempt);
    const amounts = before
      ? amountsAfter(before, one?.transfer, bearer)
      : { amount, deducted: 0n, covered: 0n };
    if (!amounts || (one && one.transfer.amount !== amounts.amount)) {
      return `the transfer of attempt ${attempt} has a different amount`;
    }
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
