// Claims due deliveries: oldest first, endpoint by endpoint, and sequentially for each intent.
import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { isLeaseOver } from "#core/db/lease.ts";
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
  and ${isLeaseOver(sql`d.leased_until`)}`;

/** Whether any delivery is due; its endpoint may still be paused. */
export const areDeliveriesDue: SQL = sql`exists (select from gateway.webhook_delivery d where ${isDue})`;

/** How many attempts may begin: over all endpoints, for one, and for those where it is another number. */
export type Free = { all: number; each: number; except: { endpointId: string; free: number }[] };

/**
 * Leases due deliveries of every endpoint that is not paused, in one statement. A delivery waits while an earlier one of the
 * same intent has not had its first attempt, or has one in progress, so that successful ones arrive in order. Failed ones are
 * not waited for.
 * @returns their ids
 */
export async function leaseDeliveries(database: Database, free: Free, leaseMs: number): Promise<string[]> {
  const { rows } = await database.execute<{ id: string }>(sql`
    with recursive pending (endpoint_id) as (
      (select d.endpoint_id from gateway.webhook_delivery d where d.next_attempt_at is not null
        order by d.endpoint_id limit 1)
      union all
      select (select d.endpoint_id from gateway.webhook_delivery d
        where d.next_attempt_at is not null and d.endpoint_id > p.endpoint_id order by d.endpoint_id limit 1)
      from pending p where p.endpoint_id is not null)
    update gateway.webhook_delivery set
      lease = ${crypto.randomUUID()}, leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where id = any (array (
      select due.id from pending p join gateway.webhook_endpoint w on w.id = p.endpoint_id
      left join json_to_recordset(${JSON.stringify(free.except)}::json) as k ("endpointId" text, free int)
        on k."endpointId" = w.id
      cross join lateral (
        select d.id from gateway.webhook_delivery d
        where d.endpoint_id = w.id and ${isDue}
          and not exists (
            select from gateway.webhook_delivery e
            where e.endpoint_id = d.endpoint_id and e.intent_id = d.intent_id and e.sequence < d.sequence
              and e.next_attempt_at is not null and (e.attempts = 0 or e.lease is not null))
        order by d.next_attempt_at, d.event_id
        limit coalesce(k.free, ${free.each}::int)
        for update skip locked) due
      where w.status = 'enabled' and (w.paused_until is null or w.paused_until <= clock_timestamp())
      limit ${free.all}))
    returning id`);
  return rows.map(({ id }) => id);
}

/** The leased deliveries with what they send. @throws what one of them that cannot be read throws */
export const readLeased = (database: Database, ids: readonly string[]): Promise<Claimed[]> =>
  database
    .select({ delivery: webhookDelivery, ...EVENT_READING, endpoint: webhookEndpoint })
    .from(webhookDelivery)
    .innerJoin(event, eq(event.id, webhookDelivery.eventId))
    .innerJoin(webhookEndpoint, eq(webhookEndpoint.id, webhookDelivery.endpointId))
    .leftJoin(intent, isIntentOfEvent)
    .leftJoin(deployment, eq(deployment.id, intent.deploymentId))
    .where(inArray(webhookDelivery.id, [...ids]))
    .orderBy(webhookDelivery.eventId);
