// The last check before a provider is called: whether the payout's settlement still exists and is confirmed.
import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { isAmong } from "#core/db/is-among.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, orderIdOfIntent, toFactId } from "#core/ids.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import type { Context } from "../runtime/context.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import { createSettlementVerifier, type VerifiableSettlement } from "./verify-settlement.ts";
import type { WalletToken } from "./wallet-token.ts";

/** The wallet that pays a payout, or the reason why it must not be paid (now). */
export type Checked = { place: WalletToken; problem?: undefined } | { problem: string };

export type SettlementCheck = (row: ClaimedPayout) => Promise<Checked>;

/** A settlement as known to the indexer. */
type Found = VerifiableSettlement & { number: number; block: number };

const s = alias(chain.settlement, "s");

/**
 * The settlements of the given intents, aggregated into one value, because separate rows would each repeat the snapshot.
 */
const FOUND = sql<(Omit<Found, "amount"> & { amount: string })[]>`(
  select coalesce(json_agg(json_build_object('number', ${s.number}, 'orderId', ${hexText(s.orderId)}, 'offRamp', ${hexText(s.offRamp)},
    'amount', ${s.amount}::text, 'block', ${s.block}, 'blockHash', ${hexText(s.blockHash)}, 'txHash', ${hexText(s.txHash)})), '[]')
  from ${chain.settlement} s where ${isAmong(s.orderId, sql.placeholder("ids"), payout.intentId)})`;

/** Creates the check for a batch of payouts. It queries the indexer once, and only if a payout requires it. */
export function createSettlementCheck(context: Context): (rows: ClaimedPayout[]) => SettlementCheck {
  const { reads, guard, config, deployment: mine } = context;
  const query = joinIndexerSnapshot(
    reads
      .select({ found: FOUND, current: deployment.current, snapshot: indexerSnapshotFields })
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
    return {
      head,
      current: row.current,
      of: new Map(found.map((one) => [toFactId(one.orderId, one.number), one])),
    };
  }

  return (rows) => {
    const verify = createSettlementVerifier(context);
    let reading: ReturnType<typeof read> | undefined;
    return async ({
      deploymentId,
      token,
      settlementAmount,
      intentId,
      settlementNumber,
      settlementTxHash,
    }) => {
      reading ??= read(rows.map((row) => row.intentId));
      const { head, current, of } = await reading;
      if (deploymentId !== mine.id || !current)
        return { problem: "The payout belongs to a chain that no longer exists." };
      const settlement = of.get(toFactId(orderIdOfIntent(intentId), settlementNumber));
      if (!settlement) return { problem: "The payout's settlement is no longer on chain." };
      if (settlement.amount !== settlementAmount)
        return { problem: "The amount of the payout's settlement has changed." };
      if (countConfirmations(head, settlement.block) < config.chain.confirmations)
        return { problem: "The payout's settlement is not confirmed." };
      // The settlement's transaction was checked when the payout was planned. In a different transaction it is a
      // different fact, and is checked again.
      const problem = settlement.txHash === settlementTxHash ? undefined : await verify(settlement);
      return problem === undefined ? { place: { token, offRamp: settlement.offRamp } } : { problem };
    };
  };
}
