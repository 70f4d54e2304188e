// Compares a payout with the provider's transfer for it.
import { type SQL, sql } from "drizzle-orm";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import type { OffRamp, Transfer } from "../off-ramp/off-ramp.ts";
import { buildStake, type Discrepancy, formatMoney, type ListedTransfer } from "./discrepancy.ts";
import type { Dependencies } from "./scope.ts";

/** @returns a query that the caller may order and limit */
export const findPayouts = ({ database }: Pick<Dependencies, "database">, condition: SQL | undefined) =>
  database
    .select({
      id: payout.id,
      intent: payout.intentId,
      reference: payout.reference,
      state: payout.state,
      amount: sql<string>`${payout.amount}::text`,
      fee: sql<string>`${payout.fee}::text`,
      currency: payout.currency,
      account: payout.account,
      providerId: payout.providerId,
      createdAt: sql<string>`${payout.createdAt}::text`,
      updatedAt: sql<string>`${payout.updatedAt}::text`,
      merchantId: payout.merchantId,
    })
    .from(payout)
    .where(condition);

export type Payout = Awaited<ReturnType<typeof findPayouts>>[number];

/** Final states at the provider: such a payout is polled rarely or never. */
const OVER: readonly PayoutState[] = ["completed", "failed", "returned"];

/** States without a known response from the provider. Such a payout is polled again within five minutes. */
const ORDERED: readonly PayoutState[] = ["created", "quarantined"];
const UNNOTICED_MS = 900_000;

export const buildListedTransfer = (
  { account }: Pick<OffRamp, "account">,
  transfer: Transfer,
  readAt: Date,
): ListedTransfer => {
  const { providerId, reference, amount, fee, currency, state, createdAt } = transfer;
  return {
    ...{ account, providerId, reference, currency, state },
    ...{ amount: amount.toString(), fee: fee.toString(), createdAt: createdAt.getTime() },
    readAt: readAt.toISOString(),
  };
};

export function compareTransfer(payout: Payout, transfer: ListedTransfer): Discrepancy[] {
  const { id, currency, state } = payout;
  /** @param facts the facts that differ */
  const differs = (facts: unknown[], says: string): Discrepancy[] => {
    const identity = JSON.stringify([transfer.providerId, ...facts]);
    const stake = buildStake(BigInt(payout.amount), currency);
    return [{ kind: "different_transfer", about: id, says, ...stake, identity }];
  };
  const named = `Payout ${id} of ${payout.intent}`;
  const { account, providerId } = transfer;
  if (payout.account !== null && payout.account !== account) {
    return differs(
      ["account", payout.account, account],
      `${named} belongs to "${payout.account}", but "${account}" has transfer ${providerId} for it.`,
    );
  }
  if (payout.providerId !== null && payout.providerId !== providerId) {
    return differs(
      ["transfer", payout.providerId],
      `${named} is transfer ${payout.providerId}, but the provider also has transfer ${providerId}.`,
    );
  }
  if (transfer.currency !== currency || BigInt(transfer.amount) !== BigInt(payout.amount)) {
    const ours = formatMoney(BigInt(payout.amount), currency);
    const theirs = formatMoney(BigInt(transfer.amount), transfer.currency);
    return differs(
      ["amount", payout.amount, currency, transfer.amount, transfer.currency],
      `${named} is for ${ours}, but the provider's transfer ${providerId} is for ${theirs}.`,
    );
  }
  if (ORDERED.includes(state) && Date.now() - transfer.createdAt > UNNOTICED_MS) {
    return differs(
      ["unnoticed", state],
      `${named} is ${state}, although the provider has accepted transfer ${providerId}.`,
    );
  }
  if (!OVER.includes(state)) return [];
  if (transfer.state !== state) {
    return differs(
      ["state", state, transfer.state],
      `${named} is ${state}, but the provider's transfer ${providerId} is ${transfer.state}.`,
    );
  }
  if (state === "completed" && BigInt(transfer.fee) !== BigInt(payout.fee)) {
    const [ours, theirs] = [payout.fee, transfer.fee].map((fee) => formatMoney(BigInt(fee), currency));
    return differs(
      ["fee", payout.fee, transfer.fee],
      `${named}: the provider charged a fee of ${theirs} (transfer ${providerId}), but the recorded fee is ${ours}.`,
    );
  }
  return [];
}

/** Describes a transfer that does not belong to any payout of this gateway. */
export function describeUnknown({
  providerId,
  reference,
  amount,
  currency,
  state,
}: ListedTransfer): Discrepancy {
  const says =
    `The provider's transfer ${providerId} for ${formatMoney(BigInt(amount), currency)} ` +
    `(reference ${reference}, ${state}) does not belong to any payout of this gateway.`;
  const identity = `${amount} ${currency} ${reference} ${state}`;
  return {
    kind: "unknown_transfer",
    about: providerId,
    says,
    ...buildStake(BigInt(amount), currency),
    identity,
  };
}

/** Compares a transfer with the payout that has its reference, if there is one. */
export function judgeTransfer(
  payout: Payout | undefined,
  transfer: ListedTransfer,
  merchantId: string | undefined,
): Discrepancy[] {
  const { providerId, amount, currency, first } = transfer;
  if (!payout) return merchantId === undefined ? [describeUnknown(transfer)] : [];
  if (merchantId !== undefined && payout.merchantId !== merchantId) return [];
  const found = compareTransfer(payout, transfer);
  if (first !== undefined) {
    const says = `Payout ${payout.id} of ${payout.intent} was executed twice: transfers ${first} and ${providerId}.`;
    found.push({
      kind: "different_transfer",
      about: payout.id,
      says,
      ...buildStake(BigInt(amount), currency),
      identity: `twice ${first} ${providerId}`,
    });
  }
  return found;
}
