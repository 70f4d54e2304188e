// The webhooks that a merchant's endpoint receives during payments.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client } from "#test/api/support/client.ts";
import { confirm, create, fund, newPayer, prove, untilStatus } from "#test/api/support/payments.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import {
  addEndpoint,
  type Endpoint,
  type List,
  sendTest,
  untilDelivery,
  untilDisabled,
} from "../api/support/webhook-endpoints.ts";
import { inDeep } from "../support/deep.ts";
import { type Answering, type Received, Receiver, verifies } from "./support/receiver.ts";

let stack: SharedStack;
let client: Client;
const receivers: Receiver[] = [];
const endpoints: Endpoint[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterEach(async () => {
  for (const { id } of endpoints.splice(0)) await client.send("DELETE", `/webhook-endpoints/${id}`);
  for (const receiver of receivers.splice(0)) await receiver.stop();
});
afterAll(() => stack?.stop());

async function listen(answering?: Answering, more: object = {}) {
  const receiver = new Receiver();
  if (answering) receiver.answer(answering);
  receivers.push(receiver);
  const endpoint = await addEndpoint(client, receiver.url, more);
  endpoints.push(endpoint);
  return { receiver, endpoint };
}

const typesOf = (received: Received[]): string[] => received.map(({ event }) => event.type);

describe("webhooks", () => {
  it("report every transition of a payment once, in order, signed, with its metadata", async () => {
    const { receiver, endpoint } = await listen();
    const intent = await create(client, { autoRelease: true, metadata: { orderId: "order-7" } });
    await confirm(client, intent);
    await untilStatus(client, intent.id, "SUCCEEDED");
    await prove(client, intent.id);
    await untilStatus(client, intent.id, "SETTLED", "FINAL");
    await receiver.untilReceived(1, ({ event }) => event.type === "payment_intent.settled");
    await receiver.untilReceived(1, ({ event }) => event.type === "payout.completed");
    const all = receiver.received.filter(({ event }) => event.paymentIntentId === intent.id);
    const transitions = typesOf(all).filter((type) => type.startsWith("payment_intent."));
    expect(transitions).to.deep.equal([
      "payment_intent.processing",
      "payment_intent.succeeded",
      "payment_intent.settled",
    ]);
    expect(typesOf(all)).to.include.members([
      "delivery_proof.submitted",
      "conditional_payment.released",
      "payout.completed",
    ]);
    expect(new Set(all.map(({ event }) => event.id)).size, "each once").to.equal(all.length);
    expect(all.map(({ event }) => event.sequence)).to.deep.equal(all.map((_, index) => index + 1));
    for (const received of all) {
      expect(verifies(endpoint.secret, received)).to.equal(true);
      expect(received.event.data.object.metadata).to.deep.include({ orderId: "order-7" });
      expect(received.headers["webhook-id"]).to.equal(received.event.id);
    }
    const succeeded = all.find(({ event }) => event.type === "payment_intent.succeeded");
    expect(succeeded?.event.data.object).to.deep.include({ id: intent.id, status: "SUCCEEDED" });
    expect(succeeded?.event.data.previousAttributes).to.deep.equal({ status: "PROCESSING" });
    // The event's row contains only the fields that can change.
    expect(succeeded?.event.data.object.typedData).to.deep.equal(intent.data.typedData);
    const shown = await client.get<Event>(`/events/${succeeded?.event.id}`);
    expect(shown.body).to.deep.equal(succeeded?.event);
    const released = all.find(({ event }) => event.type === "conditional_payment.released");
    const escrow = await client.get<{ data: object }>(`/payment-intents/${intent.id}/escrow`);
    expect(released?.event.data.object).to.include.all.keys(...Object.keys(escrow.body.data));
  });

  it("are the events that the API lists, newest first, page by page", async () => {
    const { receiver } = await listen();
    const { id } = await fund(client, { metadata: { orderId: "order-8" } });
    await receiver.untilReceived(2, ({ event }) => event.paymentIntentId === id);
    type Event = Received["event"];
    const first = await client.get<List<Event>>(`/events?paymentIntentId=${id}&limit=1`);
    expect(first.body.has_more).to.equal(true);
    expect(first.body.data[0]?.type).to.equal("payment_intent.succeeded");
    const second = await client.get<List<Event>>(
      `/events?paymentIntentId=${id}&limit=1&starting_after=${first.body.data[0]?.id}`,
    );
    expect(second.body.has_more).to.equal(false);
    expect(second.body.data[0]?.type).to.equal("payment_intent.processing");
    const [sent] = receiver.received.filter(({ event }) => event.id === second.body.data[0]?.id);
    const { body } = await client.get<Event>(`/events/${sent?.event.id}`);
    expect(body).to.deep.equal(JSON.parse(sent?.body ?? ""));
    const byType = await client.get<List<Event>>("/events?type=payment_intent.*&metadata[orderId]=order-8");
    expect(byType.body.data.map(({ type }) => type)).to.deep.equal([
      "payment_intent.succeeded",
      "payment_intent.processing",
    ]);
    const later = await client.get<List<Event>>(`/events?created[gte]=${Math.floor(Date.now() / 1000) + 60}`);
    expect(later.body.data).to.deep.equal([]);
  });

  inDeep("report disputes and refunds", async () => {
    const { receiver } = await listen();
    const payer = newPayer();
    const { id } = await fund(client, {}, payer);
    const path = `/payment-intents/${id}/escrow/dispute`;
    await client.post(path, { reason: "Not as described", raisedBy: payer.address });
    await receiver.untilReceived(1, ({ event }) => event.type === "dispute.raised");
    await client.post(`${path}/resolve`, { outcome: "BUYER_WON" });
    const [resolved] = await receiver.untilReceived(1, ({ event }) => event.type === "dispute.resolved");
    expect(resolved?.event.data.object).to.deep.include({ outcome: "BUYER_WON", refundedAmount: "100.00" });
    await receiver.untilReceived(1, ({ event }) => event.type === "payment_intent.canceled");
    const types = typesOf(receiver.received);
    expect(types.indexOf("conditional_payment.refunded")).to.be.lessThan(
      types.indexOf("payment_intent.canceled"),
    );
    expect(new Set(types).size).to.equal(types.length);
  });

  inDeep("report milestones", async () => {
    const { receiver } = await listen();
    const { id } = await fund(client, { autoRelease: true, metadata: { releaseType: "MILESTONE_LOCKED" } });
    const path = `/payment-intents/${id}/escrow/milestones`;
    const { body } = await client.post<{ id: string }>(path, { milestoneIndex: 0, amount: "40.00" });
    await client.post(`${path}/${body.id}/complete`, { completedBy: newPayer().address });
    const [done] = await receiver.untilReceived(1, ({ event }) => event.type === "milestone.completed");
    expect(done?.event.data.object).to.deep.include({ id: body.id, status: "COMPLETED" });
    const [released] = await receiver.untilReceived(1, ({ event }) => event.type === "milestone.released");
    expect(released?.event.data.object).to.deep.include({ id: body.id, amount: "40.00" });
  });

  it("go only to subscribed endpoints", async () => {
    const { receiver } = await listen(undefined, {
      enabledEvents: ["payment_intent.succeeded", "payout.*"],
    });
    const everything = await listen();
    const { id } = await fund(client);
    await everything.receiver.untilReceived(2, ({ event }) => event.paymentIntentId === id);
    const isOurs = ({ event }: Received) => event.paymentIntentId === id;
    await receiver.untilReceived(1, isOurs);
    expect(typesOf(receiver.received.filter(isOurs))).to.deep.equal(["payment_intent.succeeded"]);
  });

  it("are not delayed by a slow or dead endpoint", async () => {
    const slow = await listen(() => new Promise(() => undefined));
    const dead = await listen();
    await dead.receiver.stop();
    const good = await listen();
    for (let i = 0; i < 10; i++) {
      await sendTest(client, slow.endpoint);
      await sendTest(client, dead.endpoint);
    }
    const began = Date.now();
    await sendTest(client, good.endpoint);
    await good.receiver.untilReceived(1);
    expect(Date.now() - began).to.be.lessThan(1_000);
    const timedOut = await untilDelivery(client, slow.endpoint, ({ attempts }) => attempts.length > 0);
    expect(timedOut.attempts[0]?.statusCode).to.equal(null);
    expect(timedOut.attempts[0]?.error).to.contain("No response within 5 seconds");
    const refused = await untilDelivery(client, dead.endpoint, ({ attempts }) => attempts.length > 0);
    expect(refused.attempts[0]?.error).to.contain("connection failed");
  });

  it("are retried with increasing delays until they are accepted", async () => {
    const { receiver, endpoint } = await listen(() => new Response("no", { status: 500 }));
    await sendTest(client, endpoint);
    const [first, second, third] = await receiver.untilReceived(3);
    receiver.answer(() => new Response("yes"));
    const taken = await untilDelivery(client, endpoint, ({ status }) => status === "succeeded");
    expect(taken.attempts.map(({ statusCode }) => statusCode).slice(0, 3)).to.deep.equal([500, 500, 500]);
    expect(taken.attempts.at(-1)).to.deep.include({ statusCode: 200, response: "yes" });
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.greaterThan(200);
    expect((third?.at ?? 0) - (second?.at ?? 0)).to.be.greaterThan(400);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).to.equal(1);
  });

  it("are abandoned after the last attempt, and can be redelivered manually", async () => {
    const { receiver, endpoint } = await listen(() => new Response("no", { status: 503 }));
    const { id } = await sendTest(client, endpoint);
    const given = await untilDelivery(client, endpoint, ({ status }) => status === "failed");
    expect(given).to.deep.include({ id, nextAttempt: null });
    expect(given.attempts).to.have.length(4);
    receiver.answer(() => new Response("yes"));
    const again = await client.post(`/webhook-endpoints/${endpoint.id}/deliveries/${id}/redeliver`, {});
    expect(again.status).to.equal(200);
    await untilDelivery(client, endpoint, ({ status }) => status === "succeeded");
    expect(verifies(endpoint.secret, receiver.received.at(-1) as Received)).to.equal(true);
  });

  it("wait as long as Retry-After requests", async () => {
    let asked = false;
    const { receiver, endpoint } = await listen(() => {
      if (asked) return new Response("yes");
      asked = true;
      return new Response("slowly", { status: 429, headers: { "Retry-After": "2" } });
    });
    await sendTest(client, endpoint);
    const [first, second] = await receiver.untilReceived(2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.within(1_900, 4_000);
  });

  it("are not sent to an endpoint that has returned 410 until it is enabled again", async () => {
    const { receiver, endpoint } = await listen(() => new Response("gone", { status: 410 }));
    await sendTest(client, endpoint);
    await untilDelivery(client, endpoint, ({ status }) => status === "failed");
    const path = `/webhook-endpoints/${endpoint.id}`;
    expect(await untilDisabled(client, endpoint)).to.include({ disabledReason: "gone" });
    expect((await client.post(`${path}/test`, {})).status).to.equal(400);
    expect(receiver.received).to.have.length(1);
    receiver.answer(() => new Response("back"));
    await client.post(path, { status: "enabled" });
    await sendTest(client, endpoint);
    await receiver.untilReceived(2);
  });

  it("do not follow redirects", async () => {
    const other = new Receiver();
    receivers.push(other);
    const { endpoint } = await listen(() => Response.redirect(other.url, 307));
    await sendTest(client, endpoint);
    const tried = await untilDelivery(client, endpoint, ({ attempts }) => attempts.length > 0);
    expect(tried.attempts[0]?.statusCode).to.equal(307);
    expect(other.received).to.deep.equal([]);
  });

  it("are also signed with the old secret during the overlap", async () => {
    const { receiver, endpoint } = await listen();
    const path = `/webhook-endpoints/${endpoint.id}/rotate-secret`;
    const { body } = await client.post<{ secret: string }>(path, { overlap: 3 });
    const until = Date.now() + 3_000;
    expect(body.secret).not.to.equal(endpoint.secret);
    await sendTest(client, endpoint);
    const [both] = (await receiver.untilReceived(1)) as [Received];
    expect([endpoint.secret, body.secret].map((secret) => verifies(secret, both))).to.deep.equal([
      true,
      true,
    ]);
    await Bun.sleep(until + 100 - Date.now());
    await sendTest(client, endpoint);
    // The first event may arrive twice, because its response may have been late.
    const [after] = (await receiver.untilReceived(1, ({ event }) => event.id !== both.event.id)) as [
      Received,
    ];
    expect([endpoint.secret, body.secret].map((secret) => verifies(secret, after))).to.deep.equal([
      false,
      true,
    ]);
  });
});
