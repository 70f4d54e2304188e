// Retrieving a payment intent, with a key and publicly (spec, operations 2 and 3).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { confirm, create, fund, newPayer, retrieve, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

const UNKNOWN = `intent_${"0".repeat(64)}`;
const DESTINATION = "DE89370400440532013000";
const METADATA = { order: "A-1", private_note: "margin 12 %", private_: 1 };

let stack: SharedStack;
let client: Client;
let stranger: Client;
let nobody: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  nobody = new Client(stack.baseUrl);
});
afterAll(() => stack?.stop());

const publicly = async (id: string, query = "") =>
  (await nobody.get<Intent>(`/payment-intents/public/${id}${query}`)).body;

describe("retrieving a payment intent", () => {
  it("shows its owner the spec's envelope at every step, with the facts that each step adds", async () => {
    const payer = newPayer();
    const created = await create(client, { metadata: METADATA });
    await confirm(client, created, payer);
    const processing = await retrieve(client, created.id);
    expectIntent(processing);
    expect(["PROCESSING", "SUCCEEDED"]).to.include(processing.status);
    expect(processing.data.transactionHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(processing.data.signerAddress).to.equal(payer.address);
    expect(processing.data.signature).to.match(/^0x[0-9a-f]{130}$/);

    const succeeded = await untilStatus(client, created.id, "SUCCEEDED");
    expectIntent(succeeded);
    expect(succeeded.settlementStatus).to.equal("IN_PROGRESS");
    expect(succeeded.data.transactionHash).to.equal(processing.data.transactionHash);
    expect(succeeded.phases.map(({ phase, status }) => [phase, status])).to.deep.equal([
      ["SIGNATURE_VERIFICATION", "COMPLETED"],
      ["BLOCKCHAIN_CONFIRMATION", "COMPLETED"],
      ["ESCROW_LOCKED", "COMPLETED"],
      ["AWAITING_DELIVERY_PROOF", "IN_PROGRESS"],
      ["SETTLEMENT", "IN_PROGRESS"],
    ]);
    expect(succeeded.data.metadata).to.deep.include(METADATA);
    expect(succeeded.data).to.deep.include({ created: created.created, typedData: created.data.typedData });
  });

  it("returns 404 for an intent that does not exist, and for a malformed id", async () => {
    for (const id of [UNKNOWN, "intent_x", "1", `${UNKNOWN}0`, UNKNOWN.toUpperCase(), "%00", "..%2f", "💸"]) {
      expectError(await client.get(`/payment-intents/${id}`), 404, "resource_missing", "intentId");
      expectError(await nobody.get(`/payment-intents/public/${id}`), 404, "resource_missing", "intentId");
    }
  });

  it("returns 403 to another merchant, and reveals nothing about the intent", async () => {
    const { id } = await create(client, { description: "secret description" });
    const answer = await stranger.get(`/payment-intents/${id}`);
    expectError(answer, 403, "forbidden");
    expect(JSON.stringify(answer.body)).not.to.include("secret description");
  });
});

describe("retrieving a payment intent without a key", () => {
  it("shows the same data while only the merchant and the payer know the intent", async () => {
    const { id } = await create(client, { metadata: METADATA, settlementDestination: DESTINATION });
    expect(await publicly(id)).to.deep.equal(await retrieve(client, id));
  });

  it("masks the destination and omits private metadata once the order is on chain", async () => {
    const { id } = await fund(client, { metadata: METADATA, settlementDestination: DESTINATION });
    // Before the event is emitted, the confirmation shows the time of the order's own block.
    const emitted = `/events?paymentIntentId=${id}&type=payment_intent.succeeded`;
    await until(async () => (await client.get<{ data: object[] }>(emitted)).body.data.length > 0, {
      ...{ what: "The event of the funding", timeoutMs: 30_000 },
    });
    const own = await retrieve(client, id);
    const shown = await publicly(id);
    expectIntent(shown);
    expect(shown.data.settlementDestination).to.equal("************3000");
    expect(JSON.stringify(shown)).not.to.include("margin");
    expect(shown.data.metadata).to.have.keys("order", "tokenAddress", "contractMerchantId");
    expect(own.data.settlementDestination).to.equal(DESTINATION);
    expect(own.data.metadata).to.deep.include(METADATA);
    // The funding transaction may become final between the two reads, which changes `updated`.
    const hidden = { settlementDestination: "", metadata: {}, updated: 0 };
    expect({ ...shown.data, ...hidden }).to.deep.equal({ ...own.data, ...hidden });
  });

  it("hides a destination of four characters or fewer completely", async () => {
    const { id } = await fund(client, { settlementDestination: "1234" });
    expect((await publicly(id)).data.settlementDestination).not.to.include("1234");
  });

  it("fills the payer into the typed data on request, without attaching the payer", async () => {
    const { id, data } = await create(client);
    const payer = newPayer();
    const shown = await publicly(id, `?payerAddress=${payer.address.toLowerCase()}`);
    expect(shown.data.typedData.message).to.deep.equal({ ...data.typedData.message, payer: payer.address });
    const after = await retrieve(client, id);
    expect(after.status).to.equal("INITIATED");
    expect(after.data.typedData).to.deep.equal(data.typedData);
  });

  it.each(["0x1234", "nobody", "", `0x${"g".repeat(40)}`])("rejects the payerAddress %j", async (payer) => {
    const { id } = await create(client);
    const answer = await nobody.get(`/payment-intents/public/${id}?payerAddress=${payer}`);
    expectError(answer, 400, "invalid_request", "payerAddress");
  });

  it("does not need a key, and ignores one that is sent", async () => {
    const { id } = await create(client);
    const wrong = new Client(stack.baseUrl, "sk_test_wrong");
    expect((await wrong.get(`/payment-intents/public/${id}`)).status).to.equal(200);
    expect((await stranger.get(`/payment-intents/public/${id}`)).status).to.equal(200);
  });
});
