// Claiming deliveries across many endpoints.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { event } from "#core/db/schema/events.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { newId } from "#core/ids.ts";
import { sealSecret } from "#core/webhooks/secret-box.ts";
import { until } from "#scripts/shared/wait.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { Worker } from "#settlement/runtime/worker.ts";
import { leaseDeliveries } from "#settlement/webhooks/claim.ts";
import { createDeliverer } from "#settlement/webhooks/deliver.ts";
import { MERCHANT, makeWorld, type World } from "./support/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const LEASE_MS = 30_000;
const free = (all: number) => ({ all, each: 5, except: [] });

/** Creates endpoints without a listener, each with a delivery of one event. */
async function endpoints(count: number): Promise<{ ids: string[]; eventId: string }> {
  const { database, config } = world.context;
  await database.delete(webhookDelivery);
  await database.delete(webhookEndpoint);
  const ids = Array.from({ length: count }, () => newId("we"));
  const own = { merchantId: MERCHANT, mode: "test" as const };
  const url = "https://127.0.0.1:1/";
  await database.insert(webhookEndpoint).values(
    ids.map((id) => ({
      ...own,
      id,
      url,
      enabledEvents: [],
      secret: sealSecret(config.webhooks.secretKeys, id, "whsec_test"),
    })),
  );
  const eventId = newId("evt");
  const data = { object: { object: "test", id: eventId } } as unknown as typeof event.$inferInsert.data;
  await database
    .insert(event)
    .values({ ...own, id: eventId, type: "webhook.test", decidedBy: eventId, data });
  await database
    .insert(webhookDelivery)
    .values(ids.map((endpointId) => ({ id: newId("delivery"), merchantId: MERCHANT, endpointId, eventId })));
  return { ids, eventId };
}

const untried = () => world.context.database.$count(webhookDelivery, eq(webhookDelivery.attempts, 0));

/** Delivers until nothing is left. Only the end of an attempt starts the next claim. */
async function deliverAll(): Promise<void> {
  const { log } = world.context;
  const worker = new Worker("deliver", () => deliverer.run(), new Problems(log));
  const deliverer = createDeliverer(world.context, () => worker.wake());
  worker.wake();
  await until(async () => (await untried()) === 0, { what: "The attempts", timeoutMs: 30_000 });
  await worker.stop();
  await deliverer.stop();
}

describe("deliveries of many endpoints", () => {
  it("are leased by one statement, up to the limits in total and per endpoint", async () => {
    const { ids } = await endpoints(300);
    const { database } = world.context;
    expect(
      await leaseDeliveries(
        database,
        { ...free(250), except: [{ endpointId: ids[0] ?? "", free: 0 }] },
        LEASE_MS,
      ),
    ).to.have.length(250);
    expect(await leaseDeliveries(database, free(1_000), LEASE_MS)).to.have.length(50);
    expect(await leaseDeliveries(database, free(1_000), LEASE_MS)).to.deep.equal([]);
    await database.execute(sql`update gateway.webhook_delivery set leased_until = now()`);
    expect(await leaseDeliveries(database, free(1_000), LEASE_MS)).to.have.length(300);
  });

  it("are attempted although one of them belongs to an event that cannot be read", async () => {
    const { ids } = await endpoints(20);
    const { database } = world.context;
    const poison = newId("evt");
    await database.execute(sql`insert into gateway.event (id, merchant_id, mode, type, decided_by, data)
      values (${sql.param(poison, event.id)}, ${sql.param(MERCHANT, merchant.id)}, 'test', 'webhook.test', ${poison}, ${"\\xff00"}::bytea)`);
    await database
      .insert(webhookDelivery)
      .values({ id: newId("delivery"), merchantId: MERCHANT, endpointId: ids[0] ?? "", eventId: poison });
    const deliverer = createDeliverer(world.context, () => undefined);
    await deliverer.run();
    await deliverer.stop();
    expect(await untried()).to.equal(1);
  });

  it("are claimed again when an attempt ends only if others of the endpoint are due", async () => {
    const { ids, eventId } = await endpoints(1);
    const { database } = world.context;
    let wakes = 0;
    const alone = createDeliverer(world.context, () => wakes++);
    await alone.run();
    await alone.stop();
    expect([await untried(), wakes]).to.deep.equal([0, 0]);

    const own = { merchantId: MERCHANT, endpointId: ids[0] ?? "", eventId };
    await database.delete(webhookDelivery);
    await database
      .insert(webhookDelivery)
      .values(Array.from({ length: 12 }, () => ({ ...own, id: newId("delivery") })));
    await deliverAll();
  });

  it("are claimed again when an attempt ends that left no room for other endpoints", async () => {
    await endpoints(1_100);
    await deliverAll();
  });
});
