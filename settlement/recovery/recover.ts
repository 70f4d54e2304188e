// Recovers a database that has lost its latest writes, after a failover to an asynchronous standby, or a restore from an
// older backup. Losses are repaired from the chain's and the providers' data, in rounds, because one repair can reveal
// another loss.
import { and, eq } from "drizzle-orm";
import { inSlices } from "#core/db/batch.ts";
import { workItem } from "#core/db/schema/work.ts";
import { type IntentId, type OrderId, orderIdOfIntent } from "#core/ids.ts";
import { createPoster, createPostingHandler } from "../ledger/post.ts";
import { createPayoutHandler } from "../payouts/pay-out.ts";
import { createPayoutPlanner } from "../payouts/plan-payouts.ts";
import type { Context } from "../runtime/context.ts";
import type { WorkItem } from "../runtime/work-items.ts";
import { findAuditLogDamage, findEventGaps, findMissingEvents } from "./find-lost-events.ts";
import { findLostOrders } from "./find-lost-orders.ts";
import { findLostAttempts, listPayoutsBehind, skipTransfersOfLostOrders } from "./find-lost-payouts.ts";
import { findLostTransactions } from "./find-lost-transactions.ts";
import { findReduced } from "./find-reduced.ts";
import { findUnknownTransfers } from "./find-unknown-transfers.ts";
import { findUnplanned } from "./find-unplanned.ts";
import { readTransfers } from "./read-transfers.ts";
import { type Decision, noteRepair, type Repair } from "./repair.ts";

export type Scope = {
  /** No data written before this time was lost. */
  since: Date;
  /** The hash at the audit log's head (64 hexadecimal digits), recorded before the loss. */
  auditHead?: string | undefined;
};

/**
 * Upper bound, higher than any recovery needs: a repair reveals only losses of a later kind (order, payout, later
 * attempt, event).
 */
const MAX_ROUNDS = 8;

const buildItem = (orderId: OrderId, purpose: WorkItem["purpose"]): WorkItem => ({
  ...{ orderId, purpose, merchantId: "", revision: 0, attempts: 0 },
});

/** Identifies a repair. After another one, the same payment or payout may have lost something else. */
const buildRepairKey = ({ kind, about, says }: Repair): string => `${kind} ${about} ${says}`;

export function createRecovery(context: Context, { since, auditHead }: Scope) {
  const pay = createPayoutHandler(context, () => undefined);
  const planner = createPayoutPlanner(context);
  const post = createPoster(context, 0);
  const postingHandler = createPostingHandler(context);
  const restored = new Set<IntentId>();

  const plan = async (orderId: OrderId) => {
    await planner.handle([buildItem(orderId, "plan_payouts")], { block: 0, timestamp: 0 });
  };

  /**
   * Finds the losses. Each round repairs them in this order, except that events are emitted only when no other repair is
   * left.
   */
  async function find(): Promise<Repair[]> {
    const orders = await findLostOrders(context, since, (id) => restored.add(id));
    const { behind, smaller, unmatched } = await readTransfers(context, since);
    const repairs = [
      ...(await findLostTransactions(context, since)),
      ...orders,
      ...listPayoutsBehind(context, behind, pay),
      ...(await findReduced(context, smaller, pay)),
      ...(await findUnplanned(context, since, unmatched, pay, plan)),
      ...(await findLostAttempts(context, unmatched, [...behind, ...smaller], pay)),
      ...(await findMissingEvents(context, since)),
      ...(await findEventGaps(context, since)),
      ...(await findAuditLogDamage(context, auditHead)),
    ];
    skipTransfersOfLostOrders(
      context,
      orders.map(({ about }) => about as OrderId),
      unmatched,
    );
    return [...repairs, ...(await findUnknownTransfers(context, [...unmatched.values()]))];
  }

  /** Finds orders with a pending ledger posting. Recovery must handle them itself, because no worker is running. */
  async function findScheduled(): Promise<OrderId[]> {
    const { database, deployment } = context;
    const rows = await database
      .select({ orderId: workItem.orderId })
      .from(workItem)
      .where(and(eq(workItem.deploymentId, deployment.id), eq(workItem.purpose, "post_ledger")));
    return rows.map(({ orderId }) => orderId);
  }

  /**
   * Posts restored intents to the ledger, including those below the poster's high-water mark, every pending posting, and
   * everything that the poster finds.
   */
  async function postAll(): Promise<void> {
    const orders = new Set([...[...restored].map(orderIdOfIntent), ...(await findScheduled())]);
    for (const some of inSlices([...orders], postingHandler.atOnce)) {
      const items = some.map((orderId) => buildItem(orderId, "post_ledger"));
      await postingHandler.handle(items, { block: 0, timestamp: 0 });
    }
    await post();
  }

  /** Applies each possible repair once. @returns the applied repairs */
  async function apply(decision: Decision): Promise<Repair[]> {
    const applied = new Map<string, Repair>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = (await find()).filter((one) => one.apply && !applied.has(buildRepairKey(one)));
      if (next.length === 0) break;
      // Events come last, because they describe the payment after everything else is repaired.
      const otherRepairs = next.filter(({ kind }) => kind !== "event_missing");
      for (const repair of otherRepairs.length > 0 ? otherRepairs : next) {
        await repair.apply?.(noteRepair(decision, repair));
        applied.set(buildRepairKey(repair), repair);
      }
    }
    await postAll();
    return [...applied.values()];
  }

  return { find, apply };
}
