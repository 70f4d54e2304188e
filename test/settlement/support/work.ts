// Runs the work of one purpose like the settlement role: the work that blocks have made due, and the work that a full
// scan finds.
import { and, eq, ne, sql } from "drizzle-orm";
import { type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { createScan } from "#settlement/runtime/scan-orders.ts";
import { WorkLoop } from "#settlement/runtime/work-loop.ts";
import { createWorkHandlers } from "#settlement/work-handlers.ts";
import type { TestIntent } from "./intents.ts";
import { PAYER, type World } from "./world.ts";

/** Ends every lease, and makes all work due that waits for a retry, a transaction or the next block. */
export const elapse = ({ database }: Pick<Context, "database">) =>
  database.execute(sql`update gateway.work_item set leased_until = null,
    due = case when clock in ('wall', 'block') then 0 else due end`);

/** @returns a function that handles all work of this purpose that changed blocks have made due */
export function tracking(context: Context, purpose: WorkPurpose): () => Promise<void> {
  const handlers = { [purpose]: createWorkHandlers(context)[purpose] };
  const loop = new WorkLoop(context, handlers, new Problems(context.log), () => undefined);
  return async () => {
    while ((await loop.run()) > 0) await loop.settled();
    await loop.settled();
  };
}

/** Returns a function like `tracking`, which runs a full scan first. */
export function working(context: Context, purpose: WorkPurpose): () => Promise<void> {
  const scan = createScan(context);
  const finish = tracking(context, purpose);
  return async () => {
    await scan();
    await finish();
  };
}

/** Returns the order's work items, except for those of the observer, which every change creates. */
export async function itemsOf(
  { database }: Pick<Context, "database">,
  { orderId }: Pick<TestIntent, "orderId">,
): Promise<string[]> {
  const rows = await database
    .select()
    .from(workItem)
    .where(and(eq(workItem.orderId, orderId), ne(workItem.purpose, "observe")));
  return rows.map(({ purpose, clock, due }) => `${purpose} ${clock} ${due}`).sort();
}

/** Adds a payment that is funded and released in a block. */
export async function addReleased(world: World, block: number): Promise<TestIntent> {
  const made = await world.addIntent();
  await world.chain.fund(made.orderId, made.terms, block, PAYER);
  await world.chain.change(made.orderId, block, { status: 3, released: made.terms.amount });
  return made;
}
