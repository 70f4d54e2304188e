// Retrieving the conditional payment of an intent (spec, operation 6).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Hex } from "viem";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Escrow } from "./support/client.ts";
import { create, createChainClient, fund, HASH_A, newPayer, prove, untilStatus } from "./support/payments.ts";
import * as is from "./support/shapes.ts";
import { expectError, expectShape } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
});
afterAll(() => stack?.stop());

async function retrieveEscrow(id: string): Promise<Escrow> {
  const { status, body } = await client.get<Escrow>(`/payment-intents/${id}/escrow`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}

/** Checks the envelope and the data against the spec's table. */
function expectEscrow({ id, object, data, ...rest }: Escrow): void {
  expect(rest).to.deep.equal({});
  expect({ id, object }).to.deep.equal({ id: data.id, object: "conditional_payment" });
  expectShape(data, {
    id: is.text,
    paymentIntentId: is.matching(/^intent_/),
    orderId: is.matching(/^\d+$/),
    merchantId: is.text,
    contractAddress: is.address,
    buyerAddress: is.orNull(is.address),
    tokenAddress: is.address,
    amount: is.decimal,
    deliveryPeriod: is.integer,
    deliveryDeadline: is.secondsText,
    expectedDeliveryHash: is.bytes32,
    actualDeliveryHash: is.orNull(is.bytes32),
    autoReleaseOnProof: is.bool,
    "deliveryOracle?": is.address,
    releaseType: is.oneOf("DELIVERY_PROOF", "TIME_LOCKED", "MILESTONE_LOCKED", "AUTO_RELEASE"),
    timeLockUntil: is.orNull(is.secondsText),
    orderStatus: is.oneOf("PENDING", "SHIPPED", "DELIVERED", "COMPLETED", "CANCELLED", "DISPUTED"),
    settlementStatus: is.oneOf("NONE", "SCHEDULED", "EXECUTED", "CONFIRMED", "CANCELLED"),
    disputeWindow: is.matching(/^\d+$/),
    disputeRaisedAt: is.orNull(is.secondsText),
    disputeReason: is.orNull(is.text),
    disputeRaisedBy: is.orNull(is.address),
    disputeSide: is.orNull(is.oneOf("PAYER", "MERCHANT")),
    releasedAmount: is.text,
    refundedAmount: is.text,
    createTxHash: is.orNull(is.bytes32),
    funded: is.bool,
    releasedAt: is.orNull(is.secondsText),
    settlementScheduledAt: is.orNull(is.secondsText),
    createdAt: is.iso,
    updatedAt: is.iso,
  });
}

describe("the conditional payment", () => {
  it("exists as soon as the intent does, with its terms but without a buyer or a transaction", async () => {
    const intent = await create(client, { autoRelease: true });
    const escrow = await retrieveEscrow(intent.id);
    expectEscrow(escrow);
    expect(escrow.data).to.deep.include({
      paymentIntentId: intent.id,
      orderId: BigInt(intent.id.replace("intent_", "0x")).toString(),
      merchantId: stack.merchants[0]?.merchantId,
      contractAddress: stack.contractAddress,
      tokenAddress: stack.tokens.USDC,
      amount: "100.00",
      buyerAddress: null,
      createTxHash: null,
      funded: false,
      actualDeliveryHash: null,
      releasedAt: null,
      orderStatus: "PENDING",
      settlementStatus: "NONE",
    });
    expect(escrow.data).not.to.have.property("deliveryOracle");
    expect(Math.floor(Date.parse(String(escrow.data.createdAt)) / 1000)).to.equal(intent.created);
  });

  it("shows the payer and the transaction, then the delivery and the release", async () => {
    const payer = newPayer();
    const { id, transactionHash } = await fund(client, { autoRelease: true }, payer);
    const funded = await retrieveEscrow(id);
    expectEscrow(funded);
    expect(funded.data).to.include({
      buyerAddress: payer.address,
      createTxHash: transactionHash,
      funded: true,
    });
    expect(funded.data).to.include({ orderStatus: "PENDING", settlementStatus: "NONE" });
    const chain = createChainClient(stack.rpcUrl);
    const { blockNumber } = await chain.getTransactionReceipt({ hash: transactionHash as Hex });
    const { timestamp } = await chain.getBlock({ blockNumber });
    expect(funded.data.deliveryDeadline).to.equal(String(timestamp + 2_592_000n));

    expect((await prove(client, id)).status).to.equal(200);
    const released = await retrieveEscrow(id);
    expectEscrow(released);
    expect(released.data).to.include({ actualDeliveryHash: HASH_A });
    expect(released.data.releasedAt).to.be.a("string");
    expect([released.data.orderStatus, released.data.settlementStatus]).to.be.deep.oneOf([
      ["DELIVERED", "SCHEDULED"],
      ["COMPLETED", "EXECUTED"],
    ]);

    await untilStatus(client, id, "SETTLED", "FINAL");
    expect((await retrieveEscrow(id)).data).to.include({
      orderStatus: "COMPLETED",
      settlementStatus: "EXECUTED",
    });
  });

  it("returns 404 for a missing intent, 403 to other merchants, and 400 for a CONDITIONAL payment", async () => {
    const unknown = `intent_${"0".repeat(64)}`;
    expectError(await client.get(`/payment-intents/${unknown}/escrow`), 404, "resource_missing", "intentId");
    const { id } = await create(client);
    expectError(await stranger.get(`/payment-intents/${id}/escrow`), 403, "forbidden");
    const conditional = await create(client, { type: "CONDITIONAL" });
    expectError(await client.get(`/payment-intents/${conditional.id}/escrow`), 400, "invalid_request");
  });
});
