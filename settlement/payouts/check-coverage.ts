// The last check before a provider is called: whether confirmed settlements of the payment cover the payout.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { isAmong } from "#core/db/is-among.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, toIntentId } from "#core/ids.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import type { Context } from "../runtime/context.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import { type Part, p, partsWhere, type Settlement, s, settlementsWhere, sum } from "./payment-parts.ts";
import { createSettlementVerifier, NOT_DEEP } from "./verify-receipt.ts";

/** Why a payout must not be paid (now). */
export type NotCovered = {
  problem: string;
  /**
   * How much of the payout the chain covers if it settles no more, in the token's smallest unit. Undefined while that is not
   * certain, for example because settlements are not confirmed.
   */
  covered?: bigint;
};

const NOT_ON_CHAIN = "The payout's settlement is no longer on chain.";
const TOO_LITTLE = "The payment's settlements on chain do not cover the payout.";

/** Whether a payout is blocked because the chain does not cover it. */
const isUncovered = (blocked: string): boolean =>
  blocked.startsWith(NOT_ON_CHAIN) || blocked.startsWith(TOO_LITTLE);

/**
 * Creates a reader for a batch of payouts, which returns why a payout is blocked if the chain did not cover it. It queries
 * the database once, and only if it is called.
 */
export function createReasonReader(database: Database) {
  async function read(rows: readonly Pick<ClaimedPayout, "id">[]) {
    const ids = rows.map(({ id }) => id);
    const found = await database
      .select({ id: payout.id, blocked: payout.blocked })
      .from(payout)
      .where(and(isAmong(payout.id, ids), isNotNull(payout.blocked)));
    return new Map(
      found.flatMap(({ id, blocked }) => (blocked && isUncovered(blocked) ? [[id, blocked]] : [])),
    );
  }
  return (rows: readonly Pick<ClaimedPayout, "id">[]) => {
    let reading: ReturnType<typeof read> | undefined;
    return async ({ id }: Pick<ClaimedPayout, "id">) => {
      reading ??= read(rows);
      return (await reading).get(id);
    };
  };
}

export type CoverageSources = Pick<Context, "reads" | "guard" | "config" | "deployment" | "client">;

type Payout = Pick<ClaimedPayout, "intentId" | "deploymentId" | "settlementNumber" | "part" | "amount">;

/** Returns undefined if the payout may be paid. */
export type CoverageCheck = (row: Payout) => Promise<NotCovered | undefined>;

/**
 * Returns the amount that must be settled before a payout is ordered: its own, that of the payment's earlier payouts,
 * and that of later ones that may have been paid.
 */
const requiredFor = ({ settlementNumber, part }: Payout, parts: readonly Part[]): bigint =>
  sum(
    parts.filter(
      (one) =>
        one.mayBePaid ||
        one.number < settlementNumber ||
        (one.number === settlementNumber && one.part <= part),
    ),
  );

const wait = (problem: string): NotCovered => ({ problem });

/** Creates the check for a batch of payouts. It queries the indexer once, and only if a payout requires it. */
export function createCoverageCheck(context: CoverageSources): (rows: readonly Payout[]) => CoverageCheck {
  const { reads, guard, config, deployment: mine } = context;
  const ids = sql.placeholder("ids");
  const query = joinIndexerSnapshot(
    reads
      .select({
        settlements: settlementsWhere(isAmong(s.orderId, ids, payout.intentId)),
        parts: partsWhere(isAmong(p.intentId, ids)),
        current: deployment.current,
        snapshot: indexerSnapshotFields,
      })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, mine.id))
    .prepare("check_settlements");

  async function read(intentIds: IntentId[]) {
    const [row] = await query.execute({ ids: intentIds });
    if (!row) throw new Error("The deployment is not in the database.");
    return {
      head: await guard(row.snapshot),
      current: row.current,
      settlements: Map.groupBy(row.settlements, ({ orderId }) => toIntentId(orderId)),
      parts: Map.groupBy(row.parts, ({ intentId }) => intentId),
    };
  }

  return (rows) => {
    const verify = createSettlementVerifier(context);
    let reading: ReturnType<typeof read> | undefined;
    return async (row) => {
      reading ??= read(rows.map(({ intentId }) => intentId));
      const { head, current, ...all } = await reading;
      if (row.deploymentId !== mine.id || !current)
        return wait("The payout belongs to a chain that no longer exists.");
      const settlements = all.settlements.get(row.intentId) ?? [];
      const parts = all.parts.get(row.intentId) ?? [];
      const required = requiredFor(row, parts);
      const confirmed = settlements.filter(
        ({ block }) => countConfirmations(head, block) >= config.chain.confirmations,
      );
      // A settlement was verified when its payouts were planned. In another transaction, or with another amount, it is a
      // different fact, and is verified now.
      const isVerified = ({ txHash, amount }: Settlement) =>
        parts.some((part) => part.txHash === txHash && part.settlementAmount === amount);
      let missing = required - sum(confirmed.filter(isVerified));
      for (const settlement of confirmed.filter((one) => !isVerified(one))) {
        if (missing <= 0n) break;
        const problem = await verify(settlement);
        if (problem === undefined) missing -= settlement.amount;
        else if (problem !== NOT_DEEP) return wait(problem);
      }
      if (missing <= 0n) return;
      if (settlements.length === 0) return { problem: NOT_ON_CHAIN, covered: 0n };
      if (sum(settlements) >= required) return wait("The payout's settlement is not confirmed.");
      return {
        problem: TOO_LITTLE,
        covered: row.amount > missing ? row.amount - missing : 0n,
      };
    };
  };
}
