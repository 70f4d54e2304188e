// Reads the transfers of every provider account since a given time, and finds those that differ from the payouts here.
import { inSlices } from "#core/db/batch.ts";
import { isAmong } from "#core/db/is-among.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import { listOffRamps } from "../off-ramp/accounts.ts";
import type { OffRamp, Transfer } from "../off-ramp/off-ramp.ts";
import { findPayouts, type Payout } from "../reconciliation/compare-transfer.ts";
import type { Context } from "../runtime/context.ts";
import type { AccountTransfer } from "./rebuild-attempts.ts";

const PAGE = 500;

/** A payout whose stored state is behind the provider's. */
export type Behind = { payout: Payout; transfer: Transfer };

export type TransfersRead = {
  behind: Behind[];
  /** Payouts that have no known outcome, and whose transfers have smaller amounts. */
  smaller: Behind[];
  /** Transfers without a payout, by reference. */
  unmatched: Map<string, AccountTransfer>;
};

const SAME: Record<Transfer["state"], readonly PayoutState[]> = {
  // A completed payout counts as returned only once the provider reports it.
  pending: ["submitted", "completed"],
  completed: ["completed"],
  failed: ["failed"],
  returned: ["returned"],
};

const OPEN: readonly PayoutState[] = ["created", "quarantined"];

/**
 * Classifies a payout with its transfer. `behind`: a query to the provider would change the payout. Contradictions are
 * left to the reconciliation.
 */
function classify(
  { state, account, amount, currency, providerId }: Payout,
  { transfer, ...its }: AccountTransfer,
): "behind" | "smaller" | undefined {
  const contradicts =
    (account !== null && account !== its.account) ||
    (providerId !== null && providerId !== transfer.providerId) ||
    currency !== transfer.currency;
  if (contradicts) return undefined;
  if (BigInt(amount) === transfer.amount) return SAME[transfer.state].includes(state) ? undefined : "behind";
  return transfer.amount < BigInt(amount) && OPEN.includes(state) ? "smaller" : undefined;
}

async function readAll(offRamp: OffRamp, since: Date): Promise<AccountTransfer[]> {
  await offRamp.verify?.();
  const transfers: AccountTransfer[] = [];
  for await (const transfer of offRamp.transfers({ since })) {
    transfers.push({ account: offRamp.account, transfer });
  }
  return transfers;
}

/** @throws if a provider does not respond, because an incomplete list proves nothing */
export async function readTransfers({ database, offRamps }: Context, since: Date): Promise<TransfersRead> {
  const read: TransfersRead = { behind: [], smaller: [], unmatched: new Map() };
  for (const offRamp of listOffRamps(offRamps)) {
    for (const page of inSlices(await readAll(offRamp, since), PAGE)) {
      const references = page.map(({ transfer }) => transfer.reference);
      const payouts = await findPayouts({ database }, isAmong(payout.reference, references));
      const byReference = new Map(payouts.map((payout) => [payout.reference, payout]));
      for (const found of page) {
        const payout = byReference.get(found.transfer.reference);
        if (!payout) {
          read.unmatched.set(found.transfer.reference, found);
          continue;
        }
        const kind = classify(payout, found);
        if (kind) read[kind].push({ payout, transfer: found.transfer });
      }
    }
  }
  return read;
}
