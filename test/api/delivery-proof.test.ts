// Submitting a delivery proof (spec, operation 7).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { orderMessage } from "../support/order-messages.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Escrow, type Proof } from "./support/client.ts";
import { loadTerms } from "./support/direct-payment.ts";
import { actOnChain, firstMerchant, post, untilEscrow } from "./support/escrow.ts";
import {
  countEvents,
  create,
  createChainClient,
  fund,
  HASH_A,
  HASH_B,
  newPayer,
  prove,
} from "./support/payments.ts";
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

const retrieveEscrow = async (id: string) =>
  (await client.get<Escrow>(`/payment-intents/${id}/escrow`)).body.data;

function expectProof({ id, object, data, ...rest }: Proof): void {
  expect(rest).to.deep.equal({});
  expect({ id, object }).to.deep.equal({ id: data.id, object: "delivery_proof" });
  expectShape(data, {
    id: is.text,
    conditionalPaymentId: is.text,
    paymentIntentId: is.matching(/^intent_/),
    proofHash: is.bytes32,
    proofURI: is.orNull(is.text),
    submittedBy: is.address,
    submittedAt: is.secondsText,
    submitTxHash: is.bytes32,
    createdAt: is.iso,
  });
}

describe("submitting a delivery proof", () => {
  it("returns the spec's envelope, and the order is DELIVERED; without auto-release, nothing is released", async () => {
    const { id } = await fund(client);
    const submittedBy = newPayer().address;
    const { status, body } = await prove(client, id, { submittedBy, proofURI: "ipfs://proof" });
    expect(status, JSON.stringify(body)).to.equal(200);
    expectProof(body);
    const escrow = await retrieveEscrow(id);
    expect(body.data).to.include({
      conditionalPaymentId: escrow.id,
      paymentIntentId: id,
      proofHash: HASH_A,
      proofURI: "ipfs://proof",
      submittedBy,
    });
    expect(escrow).to.include({
      orderStatus: "DELIVERED",
      settlementStatus: "NONE",
      actualDeliveryHash: HASH_A,
      releasedAt: null,
    });
    expectError(await prove(client, id), 400, "invalid_status");
  });

  it("is rejected before the order is funded", async () => {
    expectError(await prove(client, (await create(client)).id), 400, "invalid_status");
  });

  it("is rejected with an unexpected hash before anything is sent, and is then accepted with the right hash", async () => {
    const { id } = await fund(client, {
      autoRelease: true,
      expectedDeliveryHash: HASH_A.toUpperCase().replace("0X", "0x") as Hex,
    });
    expectError(await prove(client, id, { proofHash: HASH_B }), 400, "invalid_request", "proofHash");
    expect(await retrieveEscrow(id)).to.include({ orderStatus: "PENDING", actualDeliveryHash: null });
    const right = await prove(client, id, { proofHash: HASH_A });
    expect(right.status, JSON.stringify(right.body)).to.equal(200);
    const { settlementStatus, releasedAt } = await retrieveEscrow(id);
    expect(settlementStatus).to.be.oneOf(["SCHEDULED", "EXECUTED"]);
    expect(releasedAt).to.be.a("string");
    expectError(await prove(client, id), 400, "invalid_status");
  });

  it("is rejected while the order is DISPUTED, in each of its forms, and nothing is sent", async () => {
    const payer = newPayer();
    const { id, data } = await fund(client, { deliveryOracle: stack.oracle.address }, payer);
    const own = await fund(client, {}, payer);
    const proof = [firstMerchant(stack), own.id, "submitDeliveryProof", HASH_A, ""] as const;
    const submitTxHash = await actOnChain(stack, ...proof);
    for (const disputed of [id, own.id]) {
      const body = { reason: "Nothing came.", raisedBy: payer.address };
      await untilEscrow(client, disputed, { orderStatus: disputed === id ? "PENDING" : "DELIVERED" });
      expect((await post(client, disputed, "escrow/dispute", body)).status).to.equal(200);
    }
    const submittedBy = stack.oracle.address;
    const oracleSignature = await privateKeyToAccount(stack.oracle.privateKey).signTypedData(
      orderMessage(data.typedData, "DeliveryProof", { proofHash: HASH_A, proofURI: "" }),
    );
    expectError(await prove(client, own.id), 400, "invalid_status");
    expectError(await prove(client, own.id, { submitTxHash }), 400, "invalid_status");
    expectError(await prove(client, id, { submittedBy }), 400, "invalid_status");
    expectError(await prove(client, id, { submittedBy, oracleSignature }), 400, "invalid_status");
    const chain = createChainClient(stack.rpcUrl);
    const proofs = (of: string) => countEvents(chain, stack.contractAddress, "DeliveryProofSubmitted", of);
    expect([await proofs(id), await proofs(own.id)]).to.deep.equal([0, 1]);
  });

  it("is rejected once the order is DELIVERED, even if an invalid proof made it so", async () => {
    const { id } = await fund(client, { expectedDeliveryHash: HASH_A });
    await actOnChain(stack, firstMerchant(stack), id, "submitDeliveryProof", HASH_B, "");
    await untilEscrow(client, id, { orderStatus: "DELIVERED", actualDeliveryHash: HASH_B });
    expectError(await prove(client, id), 400, "invalid_status");
  });

  it("takes effect once for two concurrent requests", async () => {
    const { id } = await fund(client);
    const answers = await Promise.all([prove(client, id), prove(client, id)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expect(
      await countEvents(createChainClient(stack.rpcUrl), stack.contractAddress, "DeliveryProofSubmitted", id),
    ).to.equal(1);
  });

  it("is reserved for the order's oracle if there is one; in test mode, the oracle's address is enough", async () => {
    const { id } = await fund(client, { deliveryOracle: stack.oracle.address, autoRelease: true });
    expectError(await prove(client, id), 400, "invalid_request", "submittedBy");
    const { status, body } = await prove(client, id, { submittedBy: stack.oracle.address.toLowerCase() });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.submittedBy).to.equal(stack.oracle.address);
    const receipt = await createChainClient(stack.rpcUrl).getTransactionReceipt({
      hash: body.data.submitTxHash,
    });
    expect(receipt.from).to.equal(stack.oracle.address.toLowerCase());
  });

  it("records a proof that the oracle has sent to the chain itself, and rejects any other transaction", async () => {
    const { id, transactionHash } = await fund(client, { deliveryOracle: stack.oracle.address });
    const chain = createChainClient(stack.rpcUrl);
    const hash = await chain.writeContract({
      account: privateKeyToAccount(stack.oracle.privateKey),
      address: stack.contractAddress,
      abi: deliveryVsPaymentAbi,
      functionName: "submitDeliveryProof",
      args: [await loadTerms(stack.databaseUrl, id), HASH_A, "ipfs://own"],
    });
    await chain.waitForTransactionReceipt({ hash });
    const submittedBy = stack.oracle.address;
    const say = (submitTxHash: unknown, proofHash = HASH_A as string) =>
      prove(client, id, { submittedBy, submitTxHash, proofHash });
    const { status, body } = await say(hash);
    expect(status, JSON.stringify(body)).to.equal(200);
    expectProof(body);
    expect(body.data.submitTxHash).to.equal(hash);
    for (const wrong of [transactionHash, HASH_B]) {
      expectError(await say(wrong), 400, "invalid_request", "submitTxHash");
    }
    expectError(await say(hash, HASH_B), 400, "invalid_request", "submitTxHash");
  });

  it("reports which field of the body is invalid", async () => {
    const { id } = await fund(client);
    const submittedBy = newPayer().address;
    const cases: [object, string][] = [
      [{ submittedBy }, "proofHash"],
      [{ proofHash: HASH_A }, "submittedBy"],
      [{ proofHash: "0x1234", submittedBy }, "proofHash"],
      [{ proofHash: HASH_A.slice(2), submittedBy }, "proofHash"],
      [{ proofHash: `${HASH_A}00`, submittedBy }, "proofHash"],
      [{ proofHash: `0x${"zz".repeat(32)}`, submittedBy }, "proofHash"],
      [{ proofHash: 5, submittedBy }, "proofHash"],
      [{ proofHash: HASH_A, submittedBy: "me" }, "submittedBy"],
      [{ proofHash: HASH_A, submittedBy, proofURI: 5 }, "proofURI"],
      [{ proofHash: HASH_A, submittedBy, proofURI: "x".repeat(2_049) }, "proofURI"],
      [{ proofHash: HASH_A, submittedBy, submitTxHash: "0x1" }, "submitTxHash"],
      [{ proofHash: HASH_A, submittedBy, more: 1 }, "more"],
    ];
    for (const [body, param] of cases) {
      const answer = await client.post<ErrorBody>(`/payment-intents/${id}/escrow/delivery-proof`, body);
      expectError(answer, 400, "invalid_request", param);
    }
    expect(await retrieveEscrow(id)).to.include({ orderStatus: "PENDING", actualDeliveryHash: null });
  });

  it("returns 404 for a missing intent, 403 to other merchants, and 400 for a CONDITIONAL payment", async () => {
    expectError(await prove(client, `intent_${"0".repeat(64)}`), 404, "resource_missing", "intentId");
    expectError(await prove(stranger, (await create(client)).id), 403, "forbidden");
    const conditional = await create(client, { type: "CONDITIONAL" });
    expectError(await prove(client, conditional.id), 400, "invalid_request");
  });
});
