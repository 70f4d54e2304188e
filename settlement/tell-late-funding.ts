// Tells that money has come for a payment which the merchant had canceled. What becomes of it depends on the order: as
// long as the contract lets the operator, refund-late-funding.ts sends it back; what is released already (a CONDITIONAL
// payment is from its first second) only the merchant's own account can take, by the contract's withdraw().
import { and, eq, notExists, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { event } from "#core/db/event-schema.ts";
import { deployment, intent } from "#core/db/schema.ts";
import { withWitness, witnessFields } from "#core/db/witness.ts";
import { recordEvents } from "#core/events/record-events.ts";
import { transitionEvent } from "#core/events/transition-event.ts";
import type { IntentId } from "#core/ids.ts";
import type { Context } from "./context.ts";
import { isCanceledByMerchant, isFundedDeep } from "./due-orders.ts";

const LATE_FUNDING = "payment_intent.late_funding";
const LIMIT = 200;
/** Long after the last moment at which an order can be funded, which is a week after its payment was made. */
const FUNDABLE = sql.raw("interval '30 days'");

/** Events of this kind: `event_late_funding` has them. */
export const isLateFunding = sql`${event.type} = ${sql.raw(`'${LATE_FUNDING}'`)}`;

function findUntold(context: Context) {
  const { reads, deployment: current } = context;
  const told = reads
    .select({ id: event.id })
    .from(event)
    .where(
      and(
        eq(event.intentId, intent.id),
        isLateFunding,
        // Funded again after a reorg is another funding.
        eq(event.decidedBy, chain.order.createdBlockHash),
      ),
    );
  return withWitness(
    reads
      .select({ id: intent.id, witness: witnessFields })
      .from(intent)
      .innerJoin(deployment, and(eq(deployment.id, intent.deploymentId), deployment.current))
      .innerJoin(chain.order, eq(chain.order.id, intent.orderId))
      .$dynamic(),
  )
    .where(
      and(
        eq(intent.deploymentId, current.id),
        isCanceledByMerchant,
        sql`${intent.createdAt} > statement_timestamp() - ${FUNDABLE}`,
        isFundedDeep(context),
        notExists(told),
      ),
    )
    .limit(LIMIT)
    .prepare("untold_late_funding");
}

/** Makes the run. */
export function createLateFundingTeller(context: Context): () => Promise<void> {
  const { database, guard, reader, config } = context;
  const query = findUntold(context);

  const tell = (id: IntentId): Promise<void> =>
    database.transaction(async (tx) => {
      const view = await reader.findLocked(tx, id);
      if (!view?.order) return;
      const step = { type: LATE_FUNDING, from: "CANCELED", to: "CANCELED" } as const;
      await recordEvents(tx, view.intent, [transitionEvent(view, config, step, view.order.createdBlockHash)]);
    });

  return async () => {
    const rows = await query.execute();
    const [first] = rows;
    if (!first) return;
    await guard(first.witness);
    for (const { id } of rows) await tell(id);
  };
}
