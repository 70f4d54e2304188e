// Money that arrives for a payment which the merchant has canceled goes back to the payer by itself.
import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { restoreTerms } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { joinWitness, witnessFields } from "#core/db/read-intent.ts";
import { deployment, intent } from "#core/db/schema.ts";
import { ServiceError } from "#core/errors.ts";
import { recordEvents } from "#core/events/record-events.ts";
import { transitionEvent } from "#core/events/transition-event.ts";
import { describe } from "#core/log.ts";
import type { Context } from "./context.ts";
import { Refusals } from "./refusals.ts";
import { indexedBlock, mayRelay, relay, transactionsSoFar } from "./relay.ts";

/** On-chain statuses in which the operator may refund: Created, Shipped, Delivered. */
const REFUNDABLE = [0, 1, 2];
const LIMIT = 50;

function findLate({ database, deployment: current, config, relayer }: Context) {
  return database
    .select({
      intentId: intent.id,
      orderId: intent.orderId,
      terms: intent.terms,
      createdBlockHash: chain.order.createdBlockHash,
      transactions: transactionsSoFar("refund"),
      witness: witnessFields,
    })
    .from(intent)
    .innerJoin(deployment, and(eq(deployment.id, intent.deploymentId), deployment.current))
    .innerJoin(chain.order, eq(chain.order.id, intent.orderId))
    .leftJoin(chain.ponderMeta, joinWitness.meta)
    .leftJoin(chain.indexerBuild, joinWitness.build)
    .leftJoin(chain.ponderCheckpoint, joinWitness.checkpoint)
    .where(
      and(
        eq(intent.deploymentId, current.id),
        eq(intent.lastSeenStatus, "CANCELED"),
        isNotNull(intent.canceledAt),
        inArray(chain.order.status, REFUNDABLE),
        eq(chain.order.proven, false),
        sql`lower(${chain.order.operator}) = ${relayer.account.address.toLowerCase()}`,
        sql`${indexedBlock} - ${chain.order.createdBlock} + 1 >= ${config.chain.confirmations}`,
        mayRelay("refund"),
      ),
    )
    .limit(LIMIT)
    .prepare("late_funding");
}

/** Makes the refunder's run. */
export function createRefunder(context: Context): () => Promise<void> {
  const { guard, relayer, log, reader, config } = context;
  const query = findLate(context);
  const refusals = new Refusals();

  type Late = Awaited<ReturnType<typeof query.execute>>[number];

  async function refund(late: Late): Promise<void> {
    const { intentId, orderId, terms } = late;
    const call = await relayer
      .prepare("refund", [orderId], { functionName: "refund", args: [restoreTerms(terms)] })
      .catch((error: unknown) => {
        if (error instanceof ServiceError) throw error;
        log.warn({ orders: [orderId], cause: describe(error) }, "refund would be refused");
        return undefined;
      });
    if (!call) {
      refusals.add(orderId);
      return;
    }
    await relay(context, call, new Map([[orderId, late.transactions]]), async (tx) => {
      const view = await reader.findLocked(tx, intentId);
      if (!view) return;
      const step = { type: "payment_intent.late_funding", from: "CANCELED", to: "CANCELED" } as const;
      await recordEvents(tx, view.intent, [transitionEvent(view, config, step, late.createdBlockHash)]);
    });
  }

  return async () => {
    const rows = await query.execute();
    const [first] = rows;
    if (!first) return;
    await guard(first.witness);
    for (const late of rows) {
      if (!refusals.has(late.orderId)) await refund(late);
    }
  };
}
