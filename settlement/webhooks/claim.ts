// Claims due deliveries: oldest first, endpoint by endpoint, and in sequence for each intent.
import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { idText } from "#core/db/as-text.ts";
import type { Database } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { isLeaseOver } from "#core/db/lease.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import { EVENT_READING, type EventReading, isIntentOfEvent } from "#core/events/show-event.ts";

export type Claimed = EventReading & {
  delivery: typeof webhookDelivery.$inferSelect;
  endpoint: typeof webhookEndpoint.$inferSelect;
};

const [d, e, w] = [alias(webhookDelivery, "d"), alias(webhookDelivery, "e"), alias(webhookEndpoint, "w")];
const names = columnNames(webhookDelivery);

/** Whether delivery `d` is due and has no attempt in progress. */
export const isDue = sql`${d.nextAttemptAt} <= statement_timestamp() and ${isLeaseOver(d.leasedUntil)}`;

/** Whether any delivery is due; its endpoint may still be paused. */
export const areDeliveriesDue: SQL = sql`exists (select from ${webhookDelivery} d where ${isDue})`;

/** Number of attempts that may start: in total, per endpoint, and for endpoints with a different limit. */
export type Free = { all: number; each: number; except: { endpointId: string; free: number }[] };

/**
 * Leases due deliveries of every endpoint that is not paused, in one statement. A delivery waits while an earlier
 * delivery of the same intent has not had its first attempt or has one in progress, so that successful deliveries
 * arrive in order. A delivery does not wait for the retries of failed ones.
 * @returns the ids of the leased deliveries
 */
export async function leaseDeliveries(database: Database, free: Free, leaseMs: number): Promise<string[]> {
  const { rows } = await database.execute<{ id: string }>(sql`
    with recursive pending (endpoint) as (
      (select ${d.endpointId} from ${webhookDelivery} d where ${d.nextAttemptAt} is not null order by ${d.endpointId} limit 1)
      union all
      select (select ${d.endpointId} from ${webhookDelivery} d
        where ${d.nextAttemptAt} is not null and ${d.endpointId} > p.endpoint order by ${d.endpointId} limit 1)
      from pending p where p.endpoint is not null)
    update ${webhookDelivery} set
      ${names.lease} = ${crypto.randomUUID()}, ${names.leasedUntil} = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where ${webhookDelivery.id} = any (array (
      select due.id from pending p join ${webhookEndpoint} w on ${w.id} = p.endpoint
      left join json_to_recordset(${JSON.stringify(free.except.map(toStoredForm(webhookDelivery)))}::json) as k ("endpointId" uuid, free int)
        on k."endpointId" = ${w.id}
      cross join lateral (
        select ${d.id} from ${webhookDelivery} d
        where ${d.endpointId} = ${w.id} and ${isDue}
          and not exists (
            select from ${webhookDelivery} e
            where ${e.endpointId} = ${d.endpointId} and ${e.intentId} = ${d.intentId} and ${e.sequence} < ${d.sequence}
              and ${e.nextAttemptAt} is not null and (${e.attempts} = 0 or ${e.lease} is not null))
        order by ${d.nextAttemptAt}, ${d.eventId}
        limit coalesce(k.free, ${free.each}::int)
        for update skip locked) due
      where ${w.status} = 'enabled' and (${w.pausedUntil} is null or ${w.pausedUntil} <= clock_timestamp())
      limit ${free.all}))
    returning ${idText("delivery", webhookDelivery.id)} as id`);
  return rows.map(({ id }) => id);
}

/** Reads the leased deliveries with their events. @throws if one of the deliveries cannot be read */
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
