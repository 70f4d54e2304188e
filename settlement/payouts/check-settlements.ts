// The last check before a provider is called: whether confirmed settlements of the payment cover the payout.
import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText, intentIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { isAmong } from "#core/db/is-among.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, toIntentId } from "#core/ids.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import type { Context } from "../runtime/context.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import { createSettlementVerifier, NOT_DEEP, type VerifiableSettlement } from "./verify-settlement.ts";

/** Returns the reason why a payout must not be paid (now); undefined if it may be paid. */
export type SettlementCheck = (row: ClaimedPayout) => Promise<string | undefined>;

/** A settlement as known to the indexer. */
type Found = VerifiableSettlement & { block: number };

/** All attempts of a payout. */
type Part = {
  intentId: IntentId;
  settlementNumber: number;
  part: number;
  /** The amount of the first attempt. */
  amount: bigint;
  /** Whether a provider was ever asked to pay it, or operators have paid it. */
  isOrdered: boolean;
  /** The settlement as it was when the payout was planned, which includes its verification on chain. */
  txHash: string;
  settlementAmount: bigint;
};

type AsText<T, Names extends keyof T> = Omit<T, Names> & Record<Names, string>;

const s = alias(chain.settlement, "s");
const p = alias(payout, "p");

/**
 * The settlements of the given intents, aggregated into one value, because separate rows would each repeat the snapshot.
 */
const FOUND = sql<AsText<Found, "amount">[]>`(
  select coalesce(json_agg(json_build_object('orderId', ${hexText(s.orderId)}, 'offRamp', ${hexText(s.offRamp)},
    'amount', ${s.amount}::text, 'block', ${s.block}, 'blockHash', ${hexText(s.blockHash)}, 'txHash', ${hexText(s.txHash)})), '[]')
  from ${chain.settlement} s where ${isAmong(s.orderId, sql.placeholder("ids"), payout.intentId)})`;

/** The payouts of the given intents. */
const PARTS = sql<AsText<Part, "amount" | "settlementAmount">[]>`(
  select coalesce(json_agg(p), '[]') from (
    select ${intentIdText(p.intentId)} as "intentId", ${p.settlementNumber} as "settlementNumber", ${p.part},
      (min(${p.amount}) filter (where ${p.attempt} = 1))::text as amount, min(${p.settlementAmount})::text as "settlementAmount",
      min(${hexText(p.settlementTxHash)}) as "txHash",
      bool_or(${p.calledAt} is not null or ${p.externalReference} is not null) as "isOrdered"
    from ${payout} p where ${isAmong(p.intentId, sql.placeholder("ids"))} group by 1, 2, 3) p)`;

const sum = (amounts: readonly { amount: bigint }[]): bigint =>
  amounts.reduce((total, { amount }) => total + amount, 0n);

/**
 * Returns the amount that must be settled before a payout is ordered: its own, that of the payment's earlier payouts,
 * and that of later ones that may have been paid.
 */
const requiredFor = ({ settlementNumber, part }: ClaimedPayout, parts: readonly Part[]): bigint =>
  sum(
    parts.filter(
      (one) =>
        one.isOrdered ||
        one.settlementNumber < settlementNumber ||
        (one.settlementNumber === settlementNumber && one.part <= part),
    ),
  );

/** Creates the check for a batch of payouts. It queries the indexer once, and only if a payout requires it. */
export function createSettlementCheck(context: Context): (rows: ClaimedPayout[]) => SettlementCheck {
  const { reads, guard, config, deployment: mine } = context;
  const query = joinIndexerSnapshot(
    reads
      .select({ found: FOUND, parts: PARTS, current: deployment.current, snapshot: indexerSnapshotFields })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, mine.id))
    .prepare("check_settlements");

  async function read(ids: IntentId[]) {
    const [row] = await query.execute({ ids });
    if (!row) throw new Error("The deployment is not in the database.");
    const head = await guard(row.snapshot);
    const found = row.found.map((one): Found => ({ ...one, amount: BigInt(one.amount) }));
    const parts = row.parts.map(
      (one): Part => ({
        ...one,
        amount: BigInt(one.amount),
        settlementAmount: BigInt(one.settlementAmount),
      }),
    );
    return {
      head,
      current: row.current,
      settlements: Map.groupBy(found, ({ orderId }) => toIntentId(orderId)),
      parts: Map.groupBy(parts, ({ intentId }) => intentId),
    };
  }

  return (rows) => {
    const verify = createSettlementVerifier(context);
    let reading: ReturnType<typeof read> | undefined;
    return async (row) => {
      reading ??= read(rows.map(({ intentId }) => intentId));
      const { head, current, ...all } = await reading;
      if (row.deploymentId !== mine.id || !current)
        return "The payout belongs to a chain that no longer exists.";
      const settlements = all.settlements.get(row.intentId) ?? [];
      const parts = all.parts.get(row.intentId) ?? [];
      const required = requiredFor(row, parts);
      const confirmed = settlements.filter(
        ({ block }) => countConfirmations(head, block) >= config.chain.confirmations,
      );
      // A settlement was verified when its payouts were planned. In another transaction, or with another amount, it is a
      // different fact, and is verified now.
      const isVerified = ({ txHash, amount }: Found) =>
        parts.some((part) => part.txHash === txHash && part.settlementAmount === amount);
      let missing = required - sum(confirmed.filter(isVerified));
      for (const settlement of confirmed.filter((one) => !isVerified(one))) {
        if (missing <= 0n) break;
        const problem = await verify(settlement);
        if (problem === undefined) missing -= settlement.amount;
        else if (problem !== NOT_DEEP) return problem;
      }
      if (missing <= 0n) return;
      if (settlements.length === 0) return "The payout's settlement is no longer on chain.";
      if (sum(settlements) >= required) return "The payout's settlement is not confirmed.";
      return "The payment's settlements on chain do not cover the payout.";
    };
  };
}
