// Orders whose oracle is also a party. The API allows what the contract allows. The contract decides at funding, based
// on the actual payer, whether the oracle is independent (docs/release-types.md).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type Hex, zeroAddress } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { orderMessage } from "../support/order-messages.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent, type Proof } from "./support/client.ts";
import { loadTerms } from "./support/direct-payment.ts";
import { actOnChain, firstMerchant, payerOf, post, readOrder, retrieveEscrow } from "./support/escrow.ts";
import { countEvents, create, createChainClient, fund, HASH_A, prove } from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
/** This account is both payer and oracle. */
let payer: PrivateKeyAccount;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  payer = payerOf(stack);
});
afterAll(() => stack?.stop());

const PROOF = { proofHash: HASH_A, proofURI: "" };

const signProof = ({ data }: Intent) =>
  payer.signTypedData(orderMessage(data.typedData, "DeliveryProof", PROOF));

const proveAs = (id: string, submittedBy: string, more: object = {}) =>
  prove<Proof & ErrorBody>(client, id, { submittedBy, ...more });

const proofsOnChain = (id: string) =>
  countEvents(createChainClient(stack.rpcUrl), stack.contractAddress, "DeliveryProofSubmitted", id);

describe.each([
  ["that the intent names", () => ({ payerAddress: payer.address, deliveryOracle: payer.address })],
  ["who funds an open intent", () => ({ deliveryOracle: payer.address })],
])("an oracle who is the payer %s", (_, parties) => {
  it("is not independent: the merchant marks the order shipped, and the oracle's signature cannot", async () => {
    const { id, data } = await fund(client, parties(), payer);
    const oracleSignature = await payer.signTypedData(orderMessage(data.typedData, "Shipment"));
    expectError(
      await post(client, id, "escrow/ship", { oracleSignature }),
      400,
      "invalid_request",
      "oracleSignature",
    );
    expect((await post(client, id, "escrow/ship")).status).to.equal(200);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("SHIPPED");
  });

  it("can prove a delivery only by its own signature: naming its address is not enough, even in test mode", async () => {
    const intent = await fund(client, { ...parties(), autoRelease: true }, payer);
    const { id } = intent;
    const account = String(stack.merchants[0]?.account);
    expectError(await proveAs(id, payer.address), 400, "invalid_request", "oracleSignature");
    expectError(await proveAs(id, account), 400, "invalid_request", "submittedBy");
    expect(await proofsOnChain(id)).to.equal(0);
    expect(await retrieveEscrow(client, id)).to.include({ orderStatus: "PENDING", releasedAt: null });
    const signed = await proveAs(id, payer.address, { oracleSignature: await signProof(intent) });
    expect(signed.status, JSON.stringify(signed.body)).to.equal(200);
    expect((await retrieveEscrow(client, id)).releasedAt).to.be.a("string");
  });

  it("cannot prove milestones, and completing a milestone does not release it", async () => {
    const metadata = { releaseType: "MILESTONE_LOCKED" };
    const intent = await fund(client, { ...parties(), metadata, autoRelease: true }, payer);
    const { id } = intent;
    const planned = await post<{ id: string }>(client, id, "escrow/milestones", {
      milestoneIndex: 0,
      amount: "100.00",
    });
    expect(planned.status, JSON.stringify(planned.body)).to.equal(200);
    const completed = await post(client, id, `escrow/milestones/${planned.body.id}/complete`, {
      completedBy: payer.address,
    });
    expect(completed.status, JSON.stringify(completed.body)).to.equal(200);
    const signed = await proveAs(id, payer.address, { oracleSignature: await signProof(intent) });
    expect(signed.status, JSON.stringify(signed.body)).to.equal(200);
    expect(await retrieveEscrow(client, id)).to.include({ orderStatus: "DELIVERED", releasedAmount: "0.00" });
    expect(await readOrder(stack, id)).to.include({ proven: false, released: 0n });
    const refusal = await actOnChain(stack, firstMerchant(stack), id, "release").catch(
      (error: Error) => error,
    );
    expect(String(refusal)).to.include("ProofMissing");
  });
});

describe("in test mode, without a signature, an oracle", () => {
  it("that is the merchant's account acts through the merchant's key", async () => {
    const account = firstMerchant(stack).address;
    const { id } = await fund(client, { deliveryOracle: account }, payer);
    const { status, body } = await proveAs(id, account);
    expect(status, JSON.stringify(body)).to.equal(200);
    const receipt = await createChainClient(stack.rpcUrl).getTransactionReceipt({
      hash: body.data.submitTxHash as Hex,
    });
    expect(receipt.from).to.equal(account.toLowerCase());
  });

  it("that is the operator acts through the relayer, and its nonces stay in order", async () => {
    const { operator } = await loadTerms(stack.databaseUrl, (await create(client)).id);
    const { id } = await fund(client, { deliveryOracle: operator }, payer);
    const { status, body } = await proveAs(id, operator);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await readOrder(stack, id)).to.include({ proven: true });
    expect((await post(client, id, "escrow/release")).status).to.equal(200);
  });

  it("that is the arbiter or the off-ramp's wallet is not impersonated", async () => {
    const { arbiter, offRamp } = await loadTerms(stack.databaseUrl, (await create(client)).id);
    for (const deliveryOracle of [arbiter, offRamp]) {
      expect(deliveryOracle).to.not.equal(zeroAddress);
      const { id } = await fund(client, { deliveryOracle }, payer);
      expectError(await proveAs(id, deliveryOracle), 400, "invalid_request", "oracleSignature");
      expect(await proofsOnChain(id)).to.equal(0);
    }
  });
});
