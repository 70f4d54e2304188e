// A webhook endpoint is changed while events for it are being written.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { event } from "#core/db/schema/events.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { newId } from "#core/ids.ts";
import { until } from "#scripts/shared/wait.ts";
import { createFullObserver } from "#test/settlement/support/full-observer.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "#test/settlement/support/world.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

async function addEndpoint(): Promise<string> {
  const id = newId("we");
  const facts = { url: "https://example.com/hook", enabledEvents: ["*"], secret: randomBytes(32) };
  await world.context.database
    .insert(webhookEndpoint)
    .values({ id, merchantId: MERCHANT, mode: "test", ...facts });
  return id;
}

/** Waits until a statement of another session waits for a lock that the transaction holds. */
const untilBlocked = (by: number) =>
  until(
    async () => {
      const { rows } = await world.context.database.$client.query(
        "select from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))",
        [by],
      );
      return rows.length > 0 || null;
    },
    { what: "the events waiting for the endpoint", timeoutMs: 10_000 },
  );

const ROW = "gateway.webhook_endpoint";
let block = 100;

describe("events that are written while a webhook endpoint", () => {
  it.each([
    ["is deleted are not delivered to it", `delete from ${ROW}`, false],
    ["is disabled are not delivered to it", `update ${ROW} set status = 'disabled'`, false],
    [
      "is unsubscribed are not delivered to it",
      `update ${ROW} set enabled_events = '["dispute.raised"]'`,
      false,
    ],
    ["is moved are delivered to it", `update ${ROW} set url = 'https://example.com/moved'`, true],
  ])("%s, and are to the others", async (_, change, isNotified) => {
    const { database } = world.context;
    await database.delete(webhookEndpoint);
    const { id, orderId, terms } = await world.addIntent();
    const [changed, kept] = [await addEndpoint(), await addEndpoint()];
    await world.chain.fund(orderId, terms, ++block, PAYER);
    await world.chain.head(block + 1);

    const client = await database.$client.connect();
    try {
      const { rows } = await client.query("select pg_backend_pid() as pid");
      await client.query("begin");
      // As each operation on an endpoint.
      await client.query(`select from ${ROW} where id = substr($1, 4)::uuid for update`, [changed]);
      await client.query(`${change} where id = substr($1, 4)::uuid`, [changed]);
      const observed = createFullObserver(world.context)();
      await untilBlocked(rows[0].pid);
      await client.query("commit");
      await observed;
    } finally {
      client.release();
    }

    const events = await database.select().from(event).where(eq(event.intentId, id));
    expect(events.map(({ type }) => type)).to.deep.equal(["payment_intent.processing"]);
    const deliveries = await database.select().from(webhookDelivery).where(eq(webhookDelivery.intentId, id));
    expect(deliveries.map(({ endpointId }) => endpointId)).to.have.members(
      isNotified ? [changed, kept] : [kept],
    );
  });
});
