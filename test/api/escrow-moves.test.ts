// Shipping, manual release, refunds and the list of proofs: details of an escrow order that the spec leaves open.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { inDeep } from "../support/deep.ts";
import { orderMessage } from "../support/order-messages.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Proof } from "./support/client.ts";
import {
  actOnChain,
  firstMerchant,
  payerOf,
  post,
  readUsdcBalance,
  retrieveEscrow,
  untilEscrow,
} from "./support/escrow.ts";
import { create, fund, HASH_A, HASH_B, newPayer, prove, retrieve, untilStatus } from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
});
afterAll(() => stack?.stop());

const move = <T>(id: string, path: string, by = client) => post<T>(by, id, `escrow/${path}`);

async function expectMoved(id: string, path: string, status: string): Promise<void> {
  const answer = await move<object>(id, path);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  expect(answer.body).to.deep.equal({ object: "conditional_payment", status });
}

describe("marking an order shipped", () => {
  it("makes it SHIPPED once, after which a proof is accepted", async () => {
    const { id } = await fund(client);
    await expectMoved(id, "ship", "shipped");
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("SHIPPED");
    expectError(await move(id, "ship"), 400, "invalid_status");
    expect((await prove(client, id)).status).to.equal(200);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("DELIVERED");
    expectError(await move(id, "ship"), 400, "invalid_status");
  });
});

describe("marking an order with an oracle shipped", () => {
  it("requires the oracle's signature", async () => {
    const oracle = privateKeyToAccount(stack.oracle.privateKey);
    const { id, data } = await fund(client, { deliveryOracle: oracle.address });
    const ship = (oracleSignature: string) => post(client, id, "escrow/ship", { oracleSignature });
    const sign = (account: typeof oracle) => account.signTypedData(orderMessage(data.typedData, "Shipment"));
    expectError(await move(id, "ship"), 400, "invalid_request", "oracleSignature");
    const others = await ship(await sign(newPayer()));
    expectError(others, 400, "signature_verification_failed", "oracleSignature");
    const { status, body } = await ship(await sign(oracle));
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("SHIPPED");
    const none = await fund(client);
    const superfluous = await post(client, none.id, "escrow/ship", { oracleSignature: await sign(oracle) });
    expectError(superfluous, 400, "invalid_request", "oracleSignature");
  });
});

describe("releasing manually", () => {
  it("is possible after a valid proof, once, and leads to SETTLED", async () => {
    const { id } = await fund(client);
    expectError(await move(id, "release"), 400, "invalid_status");
    await prove(client, id);
    await expectMoved(id, "release", "released");
    expectError(await move(id, "release"), 400, "invalid_status");
    await untilStatus(client, id, "SETTLED", "FINAL");
  });

  it("is rejected after an unexpected proof", async () => {
    const { id } = await fund(client, { expectedDeliveryHash: HASH_A });
    await actOnChain(stack, firstMerchant(stack), id, "submitDeliveryProof", HASH_B, "");
    await untilEscrow(client, id, { orderStatus: "DELIVERED" });
    expectError(await move(id, "release"), 400, "invalid_status");
    expect((await retrieveEscrow(client, id)).releasedAt).to.equal(null);
  });

  it("is rejected for other release types", async () => {
    const { id } = await fund(client, { metadata: { releaseType: "MILESTONE_LOCKED" } });
    expectError(await move(id, "release"), 400, "invalid_request");
  });

  it("is possible for the payer on chain at any time, without a request", async () => {
    const payer = payerOf(stack);
    const { id } = await fund(client, {}, payer);
    await actOnChain(stack, payer, id, "release");
    await untilStatus(client, id, "SETTLED", "FINAL");
  });
});

describe("refunding", () => {
  it("returns everything to the payer, and the intent is CANCELED", async () => {
    const payer = newPayer();
    const { id } = await fund(client, {}, payer);
    await expectMoved(id, "refund", "refunded");
    await untilStatus(client, id, "CANCELED");
    expect(await retrieveEscrow(client, id)).to.include({
      orderStatus: "CANCELLED",
      settlementStatus: "CANCELLED",
      releasedAt: null,
    });
    expect(await readUsdcBalance(stack, payer.address)).to.equal(100_000_000n);
    for (const path of ["refund", "ship", "release"])
      expectError(await move(id, path), 400, "invalid_status");
    expectError(await prove(client, id), 400, "invalid_status");
  });

  it("in part leaves the rest in the escrow to be released or refunded", async () => {
    const payer = newPayer();
    const { id } = await fund(client, {}, payer);
    const refund = (amount: string) => post(client, id, "escrow/refund", { amount });
    expect((await refund("30.5")).status).to.equal(200);
    const rest = { orderStatus: "PENDING", refundedAmount: "30.50", releasedAmount: "0.00" };
    expect(await untilEscrow(client, id, { refundedAmount: "30.50" })).to.include(rest);
    // A request that is repeated with outdated amounts is rejected.
    const again = (refundedAmount: string) =>
      post(client, id, "escrow/refund", { amount: "30.5", refundedAmount });
    expectError(await again("0.00"), 400, "invalid_status");
    expectError(await again("30.51"), 400, "invalid_status");
    expectError(await again("-1"), 400, "invalid_request", "refundedAmount");
    expect(await retrieveEscrow(client, id)).to.include(rest);
    expect(await readUsdcBalance(stack, payer.address)).to.equal(30_500_000n);
    for (const amount of ["69.500001", "0", "-1", "all"]) {
      const answer = await refund(amount);
      const code = amount === "0" || amount === "-1" ? "invalid_request_error" : "invalid_request";
      expectError(answer, 400, code, "amount");
    }
    await prove(client, id);
    await expectMoved(id, "release", "released");
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect(await retrieveEscrow(client, id)).to.include({ releasedAmount: "69.50", refundedAmount: "30.50" });
  });

  it("is rejected after a valid proof, and after the release", async () => {
    const { id } = await fund(client);
    await prove(client, id);
    expectError(await move(id, "refund"), 400, "invalid_status");
    await move(id, "release");
    expectError(await move(id, "refund"), 400, "invalid_status");
  });

  it("takes effect or a concurrent proof does, but never both", async () => {
    const { id } = await fund(client, { autoRelease: true });
    const answers = await Promise.all([move(id, "refund"), prove(client, id)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    await untilStatus(client, id, "CANCELED", "SETTLED", "FINAL");
  });
});

describe("each of these operations", () => {
  it.each(["ship", "release", "refund"])(
    "%s is rejected before funding, for strangers, and without an escrow",
    async (path) => {
      const { id } = await create(client);
      expectError(await move(id, path), 400, "invalid_status");
      expectError(await move(id, path, stranger), 403, "forbidden");
      expectError(await move(`intent_${"0".repeat(64)}`, path), 404, "resource_missing", "intentId");
      const conditional = await create(client, { type: "CONDITIONAL" });
      expectError(await move(conditional.id, path), 400, "invalid_request");
    },
  );
});

describe("a time-locked payment", () => {
  const locked = (timeLockUntil: number) => ({
    metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(timeLockUntil) },
  });
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

  it("is released neither by a proof nor manually before its lock has expired", async () => {
    const timeLockUntil = inAnHour();
    const { id } = await fund(client, { ...locked(timeLockUntil), autoRelease: true });
    expect((await prove(client, id)).status).to.equal(200);
    expect(await retrieveEscrow(client, id)).to.include({
      releaseType: "TIME_LOCKED",
      timeLockUntil: String(timeLockUntil),
      orderStatus: "DELIVERED",
      settlementStatus: "NONE",
      releasedAt: null,
    });
    expectError(await move(id, "release"), 400, "invalid_request");
  });

  inDeep(
    "that is shipped after its lock has expired is released immediately: COMPLETED, EXECUTED, SETTLED",
    async () => {
      const { id } = await fund(client, locked(1_700_000_000));
      await expectMoved(id, "ship", "shipped");
      await untilStatus(client, id, "SETTLED", "FINAL");
      const escrow = await untilEscrow(client, id, { orderStatus: "COMPLETED" });
      expect(escrow.settlementStatus).to.be.oneOf(["EXECUTED", "CONFIRMED"]);
      expect(escrow.releasedAt).to.be.a("string");
    },
  );

  it("that is delivered before its lock expires is released upon expiry, not before", async () => {
    const timeLockUntil = Math.floor(Date.now() / 1000) + 4;
    const { id } = await fund(client, locked(timeLockUntil));
    expect((await prove(client, id)).status).to.equal(200);
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect(Number((await retrieveEscrow(client, id)).releasedAt)).to.be.at.least(timeLockUntil);
  });

  it("is not released if it is neither shipped nor delivered, although its lock has expired", async () => {
    const { id } = await fund(client, locked(1_700_000_000));
    let refused = false;
    await actOnChain(stack, payerOf(stack), id, "releaseTimeLocked").catch(() => {
      refused = true;
    });
    expect(refused).to.equal(true);
    expect(await retrieveEscrow(client, id)).to.include({ orderStatus: "PENDING", releasedAt: null });
    expect((await retrieve(client, id)).status).to.equal("SUCCEEDED");
  });
});

describe("the list of delivery proofs", () => {
  it("contains every proof, newest first, each as in the response to its submission", async () => {
    const { id } = await fund(client, { expectedDeliveryHash: HASH_A });
    const path = `/payment-intents/${id}/escrow/delivery-proofs`;
    const list = () => client.get<{ object: string; data: Proof[]; has_more: boolean }>(path);
    expect((await list()).body).to.deep.include({ object: "list", data: [], has_more: false });
    const proof = [firstMerchant(stack), id, "submitDeliveryProof", HASH_B, "ipfs://b"] as const;
    const submitTxHash = await actOnChain(stack, ...proof);
    const first = await prove(client, id, { proofHash: HASH_B, proofURI: "ipfs://b", submitTxHash });
    const valid = [firstMerchant(stack), id, "submitDeliveryProof", HASH_A, ""] as const;
    const second = await prove(client, id, { submitTxHash: await actOnChain(stack, ...valid) });
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    await untilEscrow(client, id, { actualDeliveryHash: HASH_A });
    expect(JSON.stringify((await list()).body.data)).to.equal(JSON.stringify([second.body, first.body]));
    expectError(await stranger.get(path), 403, "forbidden");
  });
});
