// The last question before a provider is called: is the settlement that a payout stands for still there, and deep?
import { eq, inArray, sql } from "drizzle-orm";
import type { Address } from "viem";
import * as chain from "#core/db/chain.ts";
import { payout } from "#core/db/payout-schema.ts";
import { deployment, intent } from "#core/db/schema.ts";
import { withWitness, witnessFields } from "#core/db/witness.ts";
import { depthOf } from "#core/intent/status.ts";
import type { Context } from "./context.ts";
import { createSettlementVerifier } from "./verify-settlement.ts";
import type { Place } from "./wallets.ts";

type Payout = typeof payout.$inferSelect;

/** What was planned for the whole settlement, over its parts. */
const plannedOf = sql<bigint>`(
  select sum(p.amount) from ${payout} p
  where p.intent_id = ${payout.intentId} and p.settlement_id = ${payout.settlementId} and p.attempt = 1)`.mapWith(
  BigInt,
);

/** From where a payout is to be paid, or why it must not be made (now). */
export type Checked = { place: Place; problem?: undefined } | { problem: string };

export type SettlementCheck = (row: Payout) => Promise<Checked>;

/** Makes the check for a batch of payouts: the indexer is asked once, and only if one of them needs it. */
export function checkSettlements(context: Context, rows: Payout[]): SettlementCheck {
  const { database, guard, config } = context;
  const verify = createSettlementVerifier(context);

  async function read() {
    const found = await withWitness(
      database
        .select({
          payoutId: payout.id,
          settlement: chain.settlement,
          token: sql<Address>`${intent.terms} ->> 'token'`,
          planned: plannedOf,
          current: deployment.current,
          witness: witnessFields,
        })
        .from(payout)
        .innerJoin(intent, eq(intent.id, payout.intentId))
        .innerJoin(deployment, eq(deployment.id, intent.deploymentId))
        .leftJoin(chain.settlement, eq(chain.settlement.id, payout.settlementId))
        .$dynamic(),
    ).where(
      inArray(
        payout.id,
        rows.map((row) => row.id),
      ),
    );
    const [first] = found;
    if (!first) throw new Error("The payouts have vanished.");
    const head = await guard(first.witness);
    return { head, of: new Map(found.map((reading) => [reading.payoutId, reading])) };
  }

  let reading: ReturnType<typeof read> | undefined;
  return async (row) => {
    reading ??= read();
    const { head, of } = await reading;
    const { settlement, token, current, planned } = of.get(row.id) ?? {};
    if (!token || !current) return { problem: "It belongs to a chain that is gone." };
    if (!settlement) return { problem: "Its settlement is not on the chain any more." };
    if (settlement.amount !== planned) return { problem: "Its settlement has another amount now." };
    if (depthOf(head, settlement.block) < config.chain.confirmations)
      return { problem: "Its settlement is not deep enough." };
    // Planned moments ago, its transaction was asked for then. In another transaction it is another fact.
    const problem = settlement.txHash === row.settlementTxHash ? undefined : await verify(settlement);
    return problem === undefined ? { place: { token, offRamp: settlement.offRamp } } : { problem };
  };
}
