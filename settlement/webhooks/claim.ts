// Claims due deliveries: oldest first, endpoint by endpoint, and sequentially for each intent.
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { EVENT_READING, type EventReading, isIntentOfEvent } from "#core/events/show-event.ts";

export type Claimed = EventReading & {
  delivery: typeof webhookDelivery.$inferSelect;
  endpoint: typeof webhookEndpoint.$inferSelect;
};

/** Whether delivery `d` is due and has no attempt in progress. */
const isDue = sql`d.next_attempt_at <= statement_timestamp()
  and (d.leased_until is null or d.leased_until <= statement_timestamp())`;

/** Whether any delivery is due; its endpoint may still be paused. */
export const areDeliveriesDue: SQL = sql`exists (select from gateway.webhook_delivery d where ${isDue})`;

/** Endpoints that have a due delivery, and are not paused. */
async function dueEndpoints(tx: Transaction): Promise<string[]> {
  const rows = await tx
    .select({ id: webhookEndpoint.id })
    .from(webhookEndpoint)
    .where(
      and(
        eq(webhookEndpoint.status, "enabled"),
        sql`(${webhookEndpoint.pausedUntil} is null or ${webhookEndpoint.pausedUntil} <= clock_timestamp())`,
        sql`exists (select from ${webhookDelivery} d
          where d.endpoint_id = ${webhookEndpoint.id} and ${isDue})`,
      ),
    );
  return rows.map(({ id }) => id);
}

/**
 * Leases up to `limit` deliveries of an endpoint. A delivery waits while an earlier one of the same intent has not had
 * its first attempt, or has one in progress, so that successful ones arrive in order. Failed ones are not waited for.
 */
async function lease(tx: Transaction, endpointId: string, limit: number, leaseMs: number): Promise<string[]> {
  const name = crypto.randomUUID();
  const { rows } = await tx.execute<{ id: string }>(sql`
    update gateway.webhook_delivery set
      lease = ${name}, leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where id in (
      select d.id from gateway.webhook_delivery d
      where d.endpoint_id = ${endpointId} and ${isDue}
        and not exists (
          select from gateway.webhook_delivery e
          where e.endpoint_id = d.endpoint_id and e.intent_id = d.intent_id and e.sequence < d.sequence
            and e.next_attempt_at is not null and (e.attempts = 0 or e.lease is not null))
      order by d.next_attempt_at, d.event_id
      limit ${limit}
      for update skip locked)
    returning id`);
  return rows.map(({ id }) => id);
}

/**
 * Leases due deliveries of every endpoint that has any, in one transaction.
 * @param limit how many at most
 * @param freeFor how many attempts may begin for an endpoint
 */
export function claim(
  database: Database,
  limit: number,
  freeFor: (endpointId: string) => number,
  leaseMs: number,
): Promise<Claimed[]> {
  return database.transaction(async (tx) => {
    const ids: string[] = [];
    for (const endpointId of await dueEndpoints(tx)) {
      const free = Math.min(freeFor(endpointId), limit - ids.length);
      if (free > 0) ids.push(...(await lease(tx, endpointId, free, leaseMs)));
    }
    if (ids.length === 0) return [];
    return tx
      .select({ delivery: webhookDelivery, ...EVENT_READING, endpoint: webhookEndpoint })
      .from(webhookDelivery)
      .innerJoin(event, eq(event.id, webhookDelivery.eventId))
      .innerJoin(webhookEndpoint, eq(webhookEndpoint.id, webhookDelivery.endpointId))
      .leftJoin(intent, isIntentOfEvent)
      .leftJoin(deployment, eq(deployment.id, intent.deploymentId))
      .where(inArray(webhookDelivery.id, ids))
      .orderBy(webhookDelivery.eventId);
  });
}
