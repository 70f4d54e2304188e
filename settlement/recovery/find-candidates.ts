// Selects the payments that are searched for payouts that the database has lost.
import { and, eq, gt, gte, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { termsTime } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { smaller } from "#core/money.ts";
import type { Context } from "../runtime/context.ts";
import { plannedAmount } from "../runtime/planned-amount.ts";
import type { Transfers } from "./find-lost-payouts.ts";

/** Maximum clock difference between the gateway, the chain and a provider. */
const CLOCKS_MS = 300_000;

/** A reorg removes no order that was funded longer ago than this: no chain needs as long for DEEPEST_REORG blocks. */
const REORG_MS = 86_400_000;

/**
 * Selects the transfers that a payment may have paid, by currency and amount. Not by time: a payment that was restored
 * from the chain has its order's time, and a local chain's clock can be ahead of a provider's.
 */
export const transfersOf = (
  { currency, amount }: Pick<IntentRow, "currency" | "amount">,
  transfers: Transfers,
): Transfers =>
  new Map(
    [...transfers].filter(([, { transfer }]) => transfer.currency === currency && transfer.amount <= amount),
  );

/** Selects the payments that may have paid one of the transfers, by currency, amount and time. */
const mayHavePaid = (transfers: Transfers): SQL | undefined =>
  or(
    ...[...Map.groupBy(transfers.values(), ({ transfer }) => transfer.currency)].map(([currency, some]) => {
      const least = some.map(({ transfer }) => transfer.amount).reduce(smaller);
      const latest = Math.max(...some.map(({ transfer }) => transfer.createdAt.getTime()));
      return and(
        eq(intent.currency, currency),
        gte(intent.amount, least),
        lte(intent.createdAt, new Date(latest + CLOCKS_MS)),
      );
    }),
  );

const deadline = termsTime(intent.terms, "fundingDeadline");

/**
 * Selects the payments that may have payouts that the database has lost, also if the chain has settled nothing now: a
 * reorg may have removed their settlements, and their orders. Excluded are payments that are planned in full or have
 * ended, and have not changed since.
 */
const mayLack = (since: Date): SQL | undefined =>
  or(
    // A missing order was funded before, but no later than at its deadline, and not before what a reorg can remove.
    and(isNull(chain.order.id), gte(deadline, toUnixSeconds(new Date(since.getTime() - REORG_MS)))),
    gte(chain.order.updatedAt, toUnixSeconds(since)),
    sql`${chain.order.amount} - ${chain.order.refunded} - ${chain.order.withdrawn} > ${plannedAmount(intent.id)}`,
    sql`exists (select from ${payout} where ${payout.intentId} = ${intent.id} and ${gte(payout.createdAt, since)})`,
  );

const settledSince = (since: Date): SQL =>
  sql`exists (select from ${chain.settlement} where ${chain.settlement.orderId} = ${intent.id}
    and ${chain.settlement.settledAt} >= ${toUnixSeconds(since)})`;

/** Selects the payments that lack payouts and, as long as transfers are unmatched, those that may have made one of them. */
export async function findCandidates(
  { database, deployment }: Pick<Context, "database" | "deployment">,
  since: Date,
  transfers: Transfers,
): Promise<IntentId[]> {
  const rows = await database
    .select({ id: intent.id })
    .from(intent)
    .leftJoin(chain.order, eq(chain.order.id, intent.id))
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        or(
          and(gt(chain.order.settled, plannedAmount(intent.id)), settledSince(since)),
          transfers.size > 0 ? and(mayHavePaid(transfers), mayLack(since)) : undefined,
        ),
      ),
    );
  return rows.map(({ id }) => id);
}
