// Stores the outcomes of attempts, batching those that end together into one statement.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { idText } from "#core/db/as-text.ts";
import { together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { isDatabaseUnavailable } from "#core/db/errors.ts";
import {
  type DeliveryStatus,
  webhookAttempt,
  webhookDelivery,
  webhookEndpoint,
} from "#core/db/schema/webhooks.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import { newId } from "#core/ids.ts";
import { asError } from "../runtime/as-error.ts";
import { type Claimed, isDue } from "./claim.ts";
import type { Outcome } from "./post.ts";

export type Attempt = {
  delivery: Pick<Claimed["delivery"], "id" | "lease">;
  outcome: Pick<Outcome, "statusCode" | "error" | "response" | "durationMs">;
  attempts: number;
  status: DeliveryStatus;
  /** Milliseconds until the next attempt; null if there is none. */
  nextInMs: number | null;
  /** Milliseconds for which the endpoint is paused. */
  pauseMs: number;
};

const toStored = toStoredForm(webhookAttempt);

const toJson = (attempts: readonly Attempt[]): string =>
  JSON.stringify(
    attempts.map(({ delivery, outcome, attempts: count, status, nextInMs, pauseMs }) => ({
      ...{
        ...toStored({ id: newId("attempt"), deliveryId: delivery.id }),
        lease: delivery.lease,
        count,
        status,
        nextInMs,
        pauseMs,
      },
      ...{ statusCode: outcome.statusCode, error: outcome.error, durationMs: outcome.durationMs },
      // PostgreSQL text cannot contain U+0000.
      response: outcome.response?.replaceAll("\0", "") ?? null,
    })),
  );

const [d, w] = [alias(webhookDelivery, "d"), alias(webhookEndpoint, "w")];
// Aliases for the parts of the statement that have columns of deliveries.
const [l, m, p] = [alias(webhookDelivery, "l"), alias(webhookDelivery, "m"), alias(webhookDelivery, "p")];
const names = {
  delivery: columnNames(webhookDelivery),
  attempt: columnNames(webhookAttempt),
  endpoint: columnNames(webhookEndpoint),
};

/** Deliveries are locked in id order, so that two processes never deadlock. */
const writeAttempts = (attempts: readonly Attempt[]) => sql`
  with known as (
    select * from json_to_recordset(${toJson(attempts)}::json) as k (id uuid, "deliveryId" uuid, lease text,
      count int, status text,
      "nextInMs" float8, "pauseMs" float8, "statusCode" int, error text, response text, "durationMs" int)),
  locked as (
    select ${d.id}, ${d.merchantId}, ${d.endpointId}, k.lease from ${webhookDelivery} d join known k on k."deliveryId" = ${d.id}
    order by ${d.id} for update of d),
  mine as (
    update ${webhookDelivery} d set ${names.delivery.attempts} = k.count, ${names.delivery.status} = k.status,
      ${names.delivery.lease} = null, ${names.delivery.leasedUntil} = null,
      ${names.delivery.nextAttemptAt} = clock_timestamp() + k."nextInMs" * interval '1 ms'
    from locked l join known k on k."deliveryId" = ${l.id}
    where ${d.id} = ${l.id} and ${d.merchantId} = ${l.merchantId} and ${d.lease} = k.lease
    returning ${d.id}, ${d.merchantId}, ${d.endpointId}),
  added as (
    insert into ${webhookAttempt} (${names.attempt.id}, ${names.attempt.merchantId}, ${names.attempt.deliveryId},
      ${names.attempt.statusCode}, ${names.attempt.error}, ${names.attempt.response}, ${names.attempt.durationMs})
    select k.id, ${m.merchantId}, ${m.id}, k."statusCode", k.error, k.response, k."durationMs"
    from mine m join known k on k."deliveryId" = ${m.id}),
  -- It speaks for the endpoint, not for the one event.
  paused as (
    update ${webhookEndpoint} w set ${names.endpoint.pausedUntil} = clock_timestamp() + p.ms * interval '1 ms'
    from (select ${m.endpointId}, ${m.merchantId}, max(k."pauseMs") as ms from mine m join known k on k."deliveryId" = ${m.id}
      where k.status = 'pending' and k."pauseMs" > 0 group by 1, 2) p
    where ${w.id} = ${p.endpointId} and ${w.merchantId} = ${p.merchantId})
  select ${idText("delivery", m.id)} as id, exists (
    select from ${webhookDelivery} d where ${d.endpointId} = ${m.endpointId} and ${isDue}) as "othersDue"
  from mine m`;

/**
 * Whether the attempt's outcome was stored, and whether other deliveries of its endpoint are due. It is not stored if
 * another process has the lease, and will store its own outcome.
 */
export type Recorded = { isOurs: boolean; othersDue: boolean };

const NOT_OURS: Recorded = { isOurs: false, othersDue: true };

/** Returns a function that stores an attempt's outcome. */
export function createAttemptWriter(
  database: Pick<Database, "execute">,
): (attempt: Attempt) => Promise<Recorded> {
  async function write(attempts: readonly Attempt[]): Promise<Recorded[]> {
    const { rows } = await database.execute<{ id: string; othersDue: boolean }>(writeAttempts(attempts));
    const mine = new Map(rows.map(({ id, othersDue }) => [id, { isOurs: true, othersDue }]));
    return attempts.map(({ delivery }) => mine.get(delivery.id) ?? NOT_OURS);
  }
  return together((attempts) =>
    write(attempts).catch((error: unknown) => {
      if (attempts.length === 1 || isDatabaseUnavailable(error)) throw error;
      // An endpoint's response may be impossible to store; the other outcomes are stored anyway.
      return Promise.all(
        attempts.map((one) => write([one]).then(([recorded]) => recorded ?? NOT_OURS, asError)),
      );
    }),
  );
}
