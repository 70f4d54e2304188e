// Updating a payment intent's description and metadata: PATCH /payment-intents/:intentId.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import { post } from "./support/escrow.ts";
import { create, fund, retrieve } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

type Entry = { action: string; actor: { type: string }; changes: object | null; metadata: object };

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

const send = <T = ErrorBody>(id: string, body: unknown, by = client, headers: Record<string, string> = {}) =>
  by.send<T>("PATCH", `/payment-intents/${id}`, { body, headers });

async function update(id: string, body: unknown): Promise<Intent> {
  const answer = await send<Intent>(id, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  return answer.body;
}

/** Returns the metadata keys that the merchant has set. */
function ownMetadata({ data }: Intent): Record<string, unknown> {
  const { tokenAddress: _, contractMerchantId: __, ...own } = data.metadata;
  return own;
}

/** Returns the updates of an intent, newest first. */
async function updatesOf(id: string): Promise<Entry[]> {
  const { body } = await client.get<{ data: Entry[] }>(
    `/audit-logs?paymentIntentId=${id}&action=payment_intent.update`,
  );
  return body.data;
}

describe("updating the description and the metadata", () => {
  it("merges metadata by key: null or an empty string removes a key, and omitted keys stay", async () => {
    const metadata = { orderId: "1", note: "fragile", shop: "north", nested: { a: 1, b: 2 }, empty: "" };
    const { id } = await create(client, { metadata });
    const changed = await update(id, {
      metadata: { orderId: "2", note: null, shop: "", nested: { a: 3 }, more: [true], unknown: null },
    });
    expectIntent(changed);
    expect(ownMetadata(changed)).to.deep.equal({ orderId: "2", nested: { a: 3 }, more: [true], empty: "" });
    expect(ownMetadata(await retrieve(client, id))).to.deep.equal(ownMetadata(changed));
    const found = await client.get<{ data: Intent[] }>("/payment-intents?metadata[orderId]=2");
    expect(found.body.data.map((intent) => intent.id)).to.deep.equal([id]);
  });

  it("sets, replaces and removes the description, and leaves everything else unchanged", async () => {
    const before = await create(client, { metadata: { orderId: "1" } });
    const described = await update(before.id, { description: "Two chairs" });
    expect(described.data.description).to.equal("Two chairs");
    expect(ownMetadata(described)).to.deep.equal({ orderId: "1" });
    expect((await update(before.id, { description: "Three" })).data.description).to.equal("Three");
    expect((await update(before.id, { description: "" })).data).not.to.have.property("description");
    await update(before.id, { description: "Four" });
    const { updated, data } = await update(before.id, { description: null });
    expect(data).to.deep.equal({ ...before.data, updated });
  });

  it("is visible to the payer", async () => {
    const { id } = await create(client, { description: "One chair" });
    await update(id, { description: "Two chairs" });
    const { body } = await new Client(stack.baseUrl).get<{ data: { description: string } }>(
      `/payment-intents/public/${id}/checkout`,
    );
    expect(body.data.description).to.equal("Two chairs");
  });

  it("is possible in every status, moves no money and emits no event", async () => {
    const funded = await fund(client, { metadata: { orderId: "1" } });
    const changed = await update(funded.id, { metadata: { orderId: "2" } });
    expect(changed).to.deep.include({ status: "SUCCEEDED", transactionHash: funded.transactionHash });
    expect(changed.data.typedData).to.deep.equal(funded.data.typedData);
    const types = await until(
      async () => {
        const { body } = await client.get<{ data: { type: string }[] }>(
          `/events?paymentIntentId=${funded.id}`,
        );
        const all = body.data.map(({ type }) => type);
        return all.includes("payment_intent.succeeded") ? all : null;
      },
      { what: "the event of the funding", timeoutMs: 20_000 },
    );
    expect(types).to.deep.equal(["payment_intent.succeeded", "payment_intent.processing"]);
    const canceled = (await create(client)).id;
    await post(client, canceled, "cancel");
    expect((await update(canceled, { metadata: { reason: "stock" } })).status).to.equal("CANCELED");
  });

  it("records old and new values in the audit log, searchable by the new reference", async () => {
    const orderId = randomUUID();
    const { id } = await create(client, { description: "One", metadata: { orderId: "1", note: "x" } });
    await update(id, { description: "Two", metadata: { orderId, note: null } });
    const [entry] = await updatesOf(id);
    expect(entry?.changes).to.deep.equal({
      description: { from: "One", to: "Two" },
      "metadata.orderId": { from: "1", to: orderId },
      "metadata.note": { from: "x", to: null },
    });
    expect(entry?.actor.type).to.equal("api_key");
    expect(entry?.metadata).to.deep.equal({ orderId });
    const { body } = await client.get<{ data: Entry[] }>(`/audit-logs?metadata[orderId]=${orderId}`);
    expect(body.data.map(({ action }) => action)).to.deep.equal(["payment_intent.update"]);
  });

  it("without changes reports this, and does not count as an update", async () => {
    const { id, updated } = await create(client, { description: "One", metadata: { n: { a: 1, b: 2 } } });
    for (const body of [{ metadata: {} }, { description: "One", metadata: { n: { b: 2, a: 1 } } }]) {
      expect((await update(id, body)).updated).to.equal(updated);
    }
    expect((await updatesOf(id)).map(({ changes }) => changes)).to.deep.equal([{}, {}]);
  });

  it("takes effect once for an Idempotency-Key", async () => {
    const { id } = await create(client, { metadata: { orderId: "1" } });
    const once = { "Idempotency-Key": randomUUID() };
    const body = { metadata: { orderId: "2" } };
    const first = await send<Intent>(id, body, client, once);
    await update(id, { metadata: { orderId: "3" } });
    const again = await send<Intent>(id, body, client, once);
    expect(again.body).to.deep.equal(first.body);
    expect(ownMetadata(await retrieve(client, id))).to.deep.equal({ orderId: "3" });
    expect(await updatesOf(id)).to.have.length(2);
  });

  it("keeps every key of concurrent requests", async () => {
    const { id } = await create(client);
    const keys = Array.from({ length: 12 }, (_, i) => `key${i}`);
    await Promise.all(keys.map((key) => update(id, { metadata: { [key]: key } })));
    expect(Object.keys(ownMetadata(await retrieve(client, id)))).to.have.members(keys);
  });
});

describe("an update is rejected", () => {
  it.each(["releaseType", "timeLockUntil", "autoRelease", "tokenAddress", "contractMerchantId"])(
    "of metadata.%s, which follows from the order's terms, removed or not",
    async (key) => {
      const metadata = { releaseType: "DELIVERY_PROOF", autoRelease: "true" };
      const before = await create(client, { metadata });
      for (const value of ["AUTO_RELEASE", metadata.releaseType, "", null]) {
        const answer = await send(before.id, { description: "No", metadata: { [key]: value, other: "1" } });
        expectError(answer, 400, "invalid_request", `metadata.${key}`);
      }
      expect(await retrieve(client, before.id)).to.deep.include({ data: before.data });
    },
  );

  it.each([
    [{ amount: "1.00" }, "amount"],
    [{ releaseType: "AUTO_RELEASE" }, "releaseType"],
    [{ status: "SUCCEEDED" }, "status"],
    [{ description: 7 }, "description"],
    [{ description: "x".repeat(1001) }, "description"],
    [{ metadata: null }, "metadata"],
    [{ metadata: { a: "x".repeat(1001) } }, "metadata.a"],
    [{ metadata: { ["k".repeat(101)]: "1" } }, `metadata.${"k".repeat(101)}`],
  ])("%j", async (body, param) => {
    expectError(await send((await create(client)).id, body), 400, "invalid_request", param);
  });

  it("if it contains nothing to change", async () => {
    const { id } = await create(client);
    for (const body of [{}, undefined]) expectError(await send(id, body), 400, "invalid_request");
  });

  it("if more than fifty keys would remain", async () => {
    const keys = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, "1"]));
    const { id } = await create(client, { metadata: keys(49, "a") });
    expectError(await send(id, { metadata: { b: 1, c: 1 } }), 400, "invalid_request", "metadata");
    await update(id, { metadata: { b: 1, c: 1, a0: null } });
  });

  it("for another merchant's payment, or one that does not exist", async () => {
    const { id } = await create(client);
    const stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
    expectError(await send(id, { description: "Mine" }, stranger), 403, "forbidden");
    expectError(await send(`intent_${"0".repeat(64)}`, {}), 404, "resource_missing", "intentId");
    expect((await retrieve(client, id)).data).not.to.have.property("description");
  });
});
