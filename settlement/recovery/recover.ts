// Recovers a database that has lost its latest writes, after an asynchronous failover or a restore of an older backup.
// Losses are repaired from the chain's and the providers' data, in rounds, because one repair can reveal another loss.
import { and, eq } from "drizzle-orm";
import { inSlices } from "#core/db/batch.ts";
import { workItem } from "#core/db/schema/work.ts";
import { type IntentId, type OrderId, orderIdOfIntent } from "#core/ids.ts";
import { createPoster, createPostingHandler } from "../ledger/post.ts";
import { createPayoutHandler } from "../payouts/pay-out.ts";
import { createPayoutPlanner } from "../payouts/plan-payouts.ts";
import type { Context } from "../runtime/context.ts";
import type { WorkItem } from "../runtime/work-items.ts";
import { findAuditCut, findEventGaps, findMissingEvents } from "./find-lost-events.ts";
import { findLostOrders } from "./find-lost-orders.ts";
import { findLostAttempts, findUnplanned, passOverLostOrders, repairBehind } from "./find-lost-payouts.ts";
import { findLostTransactions } from "./find-lost-transactions.ts";
import { findUnknownTransfers } from "./find-unknown-transfers.ts";
import { readTransfers } from "./read-transfers.ts";
import { type Decision, noteRepair, type Repair } from "./repair.ts";

export type Scope = {
  /** Nothing that is older than this was lost. */
  since: Date;
  /** The audit log's head as noted before the loss. */
  auditHead?: string | undefined;
};

/** More rounds than needed: a repair reveals only losses of the next kind (order, payouts, a later attempt, events). */
const MOST_ROUNDS = 8;

const buildItem = (orderId: OrderId, purpose: WorkItem["purpose"]): WorkItem => ({
  ...{ orderId, purpose, merchantId: "", revision: 0, attempts: 0 },
});

const nameRepair = ({ kind, about }: Repair): string => `${kind} ${about}`;

export function createRecovery(context: Context, { since, auditHead }: Scope) {
  const pay = createPayoutHandler(context, () => undefined);
  const planner = createPayoutPlanner(context);
  const post = createPoster(context, 0);
  const postAgain = createPostingHandler(context);
  const restored = new Set<IntentId>();

  const plan = async (orderId: OrderId) => {
    await planner.handle([buildItem(orderId, "plan_payouts")], { block: 0, timestamp: 0 });
  };

  /** Finds the losses, in the order in which they are repaired. */
  async function find(): Promise<Repair[]> {
    const orders = await findLostOrders(context, since, (id) => restored.add(id));
    const { behind, unmatched } = await readTransfers(context, since);
    const repairs = [
      ...(await findLostTransactions(context, since)),
      ...orders,
      ...repairBehind(context, behind, pay),
      ...(await findUnplanned(context, since, unmatched, pay, plan)),
      ...(await findLostAttempts(context, unmatched, pay)),
      ...(await findMissingEvents(context, since)),
      ...(await findEventGaps(context, since)),
      ...(await findAuditCut(context, auditHead)),
    ];
    await passOverLostOrders(
      context,
      orders.map(({ about }) => about),
      unmatched,
    );
    return [...repairs, ...(await findUnknownTransfers(context, [...unmatched.values()]))];
  }

  /** Finds orders whose posting was scheduled but not done, because no worker runs during recovery. */
  async function findScheduled(): Promise<OrderId[]> {
    const { database, deployment } = context;
    const rows = await database
      .select({ orderId: workItem.orderId })
      .from(workItem)
      .where(and(eq(workItem.deploymentId, deployment.id), eq(workItem.purpose, "post_ledger")));
    return rows.map(({ orderId }) => orderId);
  }

  /** Posts restored payments to the ledger, regardless of their age, and everything that was pending. */
  async function postAll(): Promise<void> {
    const orders = new Set([...[...restored].map(orderIdOfIntent), ...(await findScheduled())]);
    for (const some of inSlices([...orders], postAgain.atOnce)) {
      const items = some.map((orderId) => buildItem(orderId, "post_ledger"));
      await postAgain.handle(items, { block: 0, timestamp: 0 });
    }
    await post();
  }

  /** Applies each possible repair once. @returns the applied repairs */
  async function apply(decision: Decision): Promise<Repair[]> {
    const applied = new Map<string, Repair>();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const next = (await find()).filter((one) => one.apply && !applied.has(nameRepair(one)));
      if (next.length === 0) break;
      // Events come last, because they describe the payment after everything else is repaired.
      const facts = next.filter(({ kind }) => kind !== "event_missing");
      for (const repair of facts.length > 0 ? facts : next) {
        await repair.apply?.(noteRepair(decision, repair));
        applied.set(nameRepair(repair), repair);
      }
    }
    await postAll();
    return [...applied.values()];
  }

  return { find, apply };
}
