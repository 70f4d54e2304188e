// A webhook endpoint is deleted while events for it are being written.
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

describe("the observer", () => {
  it("continues when an endpoint is deleted while its events are written, and notifies the others", async () => {
    const { database } = world.context;
    const { id, orderId, terms } = await world.addIntent();
    const [deleted, kept] = [await addEndpoint(), await addEndpoint()];
    await world.chain.fund(orderId, terms, 100, PAYER);
    await world.chain.head(101);

    const client = await database.$client.connect();
    try {
      const { rows } = await client.query("select pg_backend_pid() as pid");
      await client.query("begin");
      await client.query("delete from gateway.webhook_endpoint where id = substr($1, 4)::uuid", [deleted]);
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
    expect(deliveries.map(({ endpointId }) => endpointId)).to.deep.equal([kept]);
  });
});
