// Finds final transactions whose fees are not posted. They stay in the index of open transactions until they are.
import { and, eq, sql } from "drizzle-orm";
import { idText, intentIdText } from "#core/db/as-text.ts";
import type { Database } from "#core/db/client.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import type { IntentId } from "#core/ids.ts";
import type { Context } from "../runtime/context.ts";

/** Maximum number of transactions per query. */
export const FEES = 100;

/** `version`: the time of the row's last change, as text so that nothing is rounded. */
type UnpostedFee = { id: string; version: string; intentIds: IntentId[] };

/** Reads the oldest final transactions whose fees are not posted. */
export function createFeeFinder({
  database,
  deployment: current,
}: Pick<Context, "database" | "deployment">): () => Promise<UnpostedFee[]> {
  const query = database
    .select({
      id: transaction.id,
      version: sql<string>`${transaction.updatedAt}::text`,
      intentIds: sql<
        IntentId[]
      >`array(select ${intentIdText(transactionOrder.orderId)} from ${transactionOrder}
        where ${transactionOrder.transactionId} = ${transaction.id})`,
    })
    .from(transaction)
    .where(and(eq(transaction.deploymentId, current.id), transaction.open, transaction.resolved))
    .orderBy(transaction.createdAt)
    .limit(FEES)
    .prepare("unposted_fees");
  return () => query.execute();
}

/**
 * Records that the fees of these transactions are posted.
 * @returns the transactions that have changed since they were read, whose fees may have to be reversed
 */
export async function markPosted(
  database: Pick<Database, "execute">,
  posted: readonly UnpostedFee[],
): Promise<UnpostedFee[]> {
  const rows = posted.map(({ id, version }) => ({ id, version })).map(toStoredForm(transaction));
  const marked = await database.execute<{ id: string }>(
    sql`select ${idText("tx", sql`id`)} as id from gateway.mark_fees_posted(${JSON.stringify(rows)}::json) as m (id)`,
  );
  const ids = new Set(marked.rows.map(({ id }) => id));
  return posted.filter(({ id }) => !ids.has(id));
}
