// The settlement role's metrics for pending and abandoned work.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import type { Registry } from "prom-client";
import { numberToHex } from "viem";
import { event } from "#core/db/schema/events.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { signer } from "#core/db/schema/transactions.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { newId } from "#core/ids.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { createMetrics } from "#settlement/metrics.ts";
import { blockHash } from "#test/settlement/support/chain-tables.ts";
import { insertPayout } from "#test/settlement/support/payouts.ts";
import { type Answers, MERCHANT, makeWorld, PAYER, type World } from "#test/settlement/support/world.ts";

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);

let world: World;
let registry: Registry;
let metric: (name: string) => Promise<number>;
const block = { number: "0x1", hash: blockHash(1), transactions: [], baseFeePerGas: "0x1" };
const answers: Answers = {
  eth_getBlockByNumber: () => ({
    ...block,
    timestamp: numberToHex(Math.floor(secondsAgo(100).getTime() / 1_000)),
  }),
};
beforeAll(async () => {
  world = await makeWorld({ answers });
  const { database, client, config } = world.context;
  const { contract, tokens } = config.chain;
  registry = createMetrics({
    ...{ database, client, operator: config.operator, guardian: PAYER },
    watched: { contract, tokens, offRamp: config.offRamp },
  });
  metric = async (name) => {
    const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
    return values[0]?.value ?? Number.NaN;
  };
});
afterAll(() => world.close());

async function endpoint(change: Partial<typeof webhookEndpoint.$inferInsert> = {}) {
  const [owner] = await world.context.database.select({ id: merchant.id }).from(merchant);
  const [id, merchantId] = [newId("we"), owner?.id ?? ""];
  await world.context.database.insert(webhookEndpoint).values({
    ...{ id, merchantId, mode: "test", url: "https://merchant.example", enabledEvents: ["*"] },
    secret: Buffer.alloc(1),
    ...change,
  });
  return { id, merchantId };
}

async function delivery(to: { id: string; merchantId: string }, more: { age: number; attempts?: number }) {
  const { database } = world.context;
  const eventId = newId("evt");
  const data = { object: { object: "webhook_endpoint" } } as unknown as typeof event.$inferInsert.data;
  await database.insert(event).values({
    ...{
      id: eventId,
      merchantId: to.merchantId,
      mode: "test",
      type: "webhook.test",
      decidedBy: eventId,
      data,
    },
  });
  const id = newId("delivery");
  await database.insert(webhookDelivery).values({
    ...{ id, merchantId: to.merchantId, endpointId: to.id, eventId, createdAt: secondsAgo(more.age) },
    attempts: more.attempts ?? 0,
  });
  return id;
}

const changeDelivery = (id: string, to: Partial<typeof webhookDelivery.$inferInsert>) =>
  world.context.database.update(webhookDelivery).set(to).where(eq(webhookDelivery.id, id));

describe("the metrics of the settlement role", () => {
  it("show the age of the chain's head, and NaN for unknown values", async () => {
    expect(await metric("chain_head_age_seconds")).to.be.within(99, 130);
    expect(await metric("operator_balance")).to.be.NaN;
  });

  it("are all numbers while the chain and the database respond", async () => {
    const { database, config, deployment } = world.context;
    await database
      .insert(signer)
      .values({ deploymentId: deployment.id, address: config.operator, nextNonce: 7 });
    Object.assign(answers, {
      eth_getBalance: () => "0xde0b6b3a7640000",
      eth_getTransactionCount: () => "0x5",
      eth_maxPriorityFeePerGas: () => "0x1",
    });
    await database.insert(reconciliation).values({ differences: {} });
    await world.chain.head(1);
    const readMetrics = await registry.getMetricsAsJSON();
    const unknown = readMetrics.filter(({ values }) => values.some(({ value }) => !Number.isFinite(value)));
    expect(unknown.map(({ name }) => name)).to.deep.equal([]);
    expect(await metric("operator_balance")).to.equal(1);
    expect(await metric("operator_nonces_waiting")).to.equal(2);
  });

  it("show how long a released order has waited for its settlement, until it is settled", async () => {
    const name = "settlements_oldest_waiting_seconds";
    const { orderId, terms } = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
    await world.chain.fund(orderId, terms, 1, PAYER);
    expect(await metric(name)).to.equal(0);
    await world.chain.change(orderId, 2, { status: 3, released: terms.amount });
    await scheduleWork(world.context.database, world.context.deployment.id, [
      { orderId, merchantId: MERCHANT, purpose: "settle", ...NOW },
    ]);
    expect(await metric(name)).to.be.above(1_000);
    await world.chain.settle(orderId, terms, 3);
    expect(await metric(name)).to.equal(0);
  });

  it("show how long the provider has not accepted a payout", async () => {
    const name = "payouts_oldest_unaccepted_seconds";
    const { database } = world.context;
    const made = await world.addIntent();
    expect(await metric(name)).to.equal(0);
    await insertPayout(database, made, { state: "quarantined", createdAt: secondsAgo(60) });
    expect(await metric(name)).to.be.within(59, 90);
    await database.update(payout).set({ state: "submitted", nextAttemptAt: sql`clock_timestamp()` });
    expect(await metric(name)).to.equal(0);
  });

  it("show how long the provider has not debited the wallet for a payout", async () => {
    const name = "payouts_oldest_not_debited_seconds";
    const { database } = world.context;
    expect(await metric(name)).to.equal(0);
    const id = await insertPayout(database, await world.addIntent(), {
      ...{ state: "submitted", calledAt: secondsAgo(60), awaitsFunds: true },
    });
    expect(await metric(name)).to.be.within(59, 90);
    await database.update(payout).set({ awaitsFunds: false }).where(eq(payout.id, id));
    expect(await metric(name)).to.equal(0);
  });

  it("distinguish unattempted webhooks from those that an endpoint rejects, and from abandoned ones", async () => {
    const readMetrics = async () => ({
      untried: Math.floor((await metric("webhooks_oldest_untried_seconds")) / 100),
      undelivered: Math.floor((await metric("webhooks_oldest_undelivered_seconds")) / 100),
      failed: await metric("webhooks_failed"),
    });
    const [healthy, failing] = [await endpoint(), await endpoint()];
    await delivery(await endpoint({ status: "disabled" }), { age: 900 });
    await delivery(await endpoint({ pausedUntil: new Date(Date.now() + 60_000) }), { age: 100 });
    const tried = await delivery(failing, { age: 300, attempts: 2 });
    await delivery(failing, { age: 310 });
    expect(await readMetrics()).to.deep.equal({ untried: 0, undelivered: 3, failed: 0 });
    const waits = await delivery(healthy, { age: 200 });
    expect(await readMetrics()).to.deep.equal({ untried: 2, undelivered: 3, failed: 0 });
    await changeDelivery(waits, { status: "succeeded", nextAttemptAt: null });
    await changeDelivery(tried, { status: "failed", nextAttemptAt: null });
    expect(await readMetrics()).to.deep.equal({ untried: 3, undelivered: 3, failed: 1 });
  });

  it("count the jobs that failed", async () => {
    expect(await metric("jobs_failed")).to.equal(0);
    await world.context.database.execute(
      sql`insert into pgboss.job (name, state) values ('payouts', 'failed')`,
    );
    expect(await metric("jobs_failed")).to.equal(1);
  });
});
