// The last question before a provider is called: is the settlement that a payout stands for still there, and deep?
import { eq, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema.ts";
import { withWitness, witnessFields } from "#core/db/witness.ts";
import { depthOf } from "#core/intent/status.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import type { Context } from "./context.ts";
import { createSettlementVerifier } from "./verify-settlement.ts";
import type { Place } from "./wallets.ts";

/** From where a payout is to be paid, or why it must not be made (now). */
export type Checked = { place: Place; problem?: undefined } | { problem: string };

export type SettlementCheck = (row: ClaimedPayout) => Promise<Checked>;

/** Makes the check for each batch of payouts: the indexer is asked once, and only if one of them needs it. */
export function createSettlementCheck(context: Context): (rows: ClaimedPayout[]) => SettlementCheck {
  const { reads, guard, config, deployment: mine } = context;
  const query = withWitness(
    reads
      .select({ settlement: chain.settlement, current: deployment.current, witness: witnessFields })
      .from(deployment)
      .leftJoin(chain.settlement, sql`${chain.settlement.id} = any(${sql.placeholder("ids")}::text[])`)
      .$dynamic(),
  )
    .where(eq(deployment.id, mine.id))
    .prepare("check_settlements");

  async function read(ids: string[]) {
    const found = await query.execute({ ids });
    const [first] = found;
    if (!first) throw new Error("The deployment has vanished.");
    const head = await guard(first.witness);
    const settlements = found.flatMap(({ settlement }) => settlement ?? []);
    return { head, current: first.current, of: new Map(settlements.map((one) => [one.id, one])) };
  }

  return (rows) => {
    const verify = createSettlementVerifier(context);
    let reading: ReturnType<typeof read> | undefined;
    return async ({ deploymentId, token, settlementAmount, settlementId, settlementTxHash }) => {
      reading ??= read(rows.map((row) => row.settlementId));
      const { head, current, of } = await reading;
      if (deploymentId !== mine.id || !current) return { problem: "It belongs to a chain that is gone." };
      const settlement = of.get(settlementId);
      if (!settlement) return { problem: "Its settlement is not on the chain any more." };
      if (settlement.amount !== settlementAmount)
        return { problem: "Its settlement has another amount now." };
      if (depthOf(head, settlement.block) < config.chain.confirmations)
        return { problem: "Its settlement is not deep enough." };
      // Planned moments ago, its transaction was asked for then. In another transaction it is another fact.
      const problem = settlement.txHash === settlementTxHash ? undefined : await verify(settlement);
      return problem === undefined ? { place: { token, offRamp: settlement.offRamp } } : { problem };
    };
  };
}
