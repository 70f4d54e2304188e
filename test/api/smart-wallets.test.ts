// Payers with a contract account (contracts/README.md, "Signatures"): ERC-1271 wallets and EIP-7702 accounts.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type Address, concat, encodeAbiParameters, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { orderMessage } from "../support/order-messages.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { signFor } from "./support/authorizations.ts";
import { Client, type ErrorBody, type Intent, type Proof } from "./support/client.ts";
import { retrieveEscrow } from "./support/escrow.ts";
import {
  confirm,
  create,
  createChainClient,
  fund,
  HASH_A,
  newPayer,
  prove,
  untilStatus,
} from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";
import { delegate, smartWalletOf } from "./support/smart-wallets.ts";

let stack: SharedStack;
let client: Client;
let owner: PrivateKeyAccount;
let wallet: Address;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  owner = newPayer();
  wallet = await smartWalletOf(stack.rpcUrl, owner);
});
afterAll(() => stack?.stop());

const confirmBy = (intent: Intent, signature: Hex, payerAddress: Address) =>
  client.post<Intent & ErrorBody>(`/payment-intents/${intent.id}/confirm`, { signature, payerAddress });

/** Returns the typed data with the payer filled in, as the payment page shows it. */
async function namedTypedData(intent: Intent, payer: Address) {
  const path = `/payment-intents/public/${intent.id}?payerAddress=${payer}`;
  const { body } = await new Client(stack.baseUrl).get<Intent>(path);
  expect(body.data.typedData.message).to.include({ payer });
  return body.data.typedData;
}

describe("a payer whose wallet is a contract (ERC-1271)", () => {
  it("completes a payment with the typed data that names the wallet", async () => {
    const intent = await create(client, { autoRelease: true });
    const signature = await owner.signTypedData(await namedTypedData(intent, wallet));
    const { status, body } = await confirmBy(intent, signature, wallet);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data).to.include({ status: "PROCESSING", signerAddress: wallet });
    await untilStatus(client, intent.id, "SUCCEEDED");
    expect(await retrieveEscrow(client, intent.id)).to.include({ buyerAddress: wallet });
    expect((await prove(client, intent.id)).status).to.equal(200);
    await untilStatus(client, intent.id, "SETTLED", "FINAL");
  });

  it("cannot pay with typed data that names no payer, because the owner's signature would then be valid for each of the owner's wallets", async () => {
    const intent = await create(client);
    const signature = await owner.signTypedData(intent.data.typedData);
    expectError(await confirmBy(intent, signature, wallet), 400, "signature_verification_failed");
  });

  it("is called as the escrow will call it: no other form of signature is valid, and no return value causes an error", async () => {
    const intent = await create(client);
    const signature = await owner.signTypedData(await namedTypedData(intent, wallet));
    const wrappers = ["6492", "8010"].map((word) => word.repeat(16));
    for (const payer of [wallet, stack.tokens.USDC, stack.contractAddress]) {
      for (const wrapper of wrappers) {
        for (const wrapped of [`${signature}${wrapper}`, `0x1234${wrapper}`] as Hex[]) {
          expectError(await confirmBy(intent, wrapped, payer), 400, "signature_verification_failed");
        }
      }
    }
  });

  it("that is not deployed yet (ERC-6492) must deploy the wallet first, with every funding method", async () => {
    const intent = await create(client);
    const undeployed = newPayer().address;
    const inner = await owner.signTypedData(await namedTypedData(intent, undeployed));
    const factoryCall = [{ type: "address" }, { type: "bytes" }, { type: "bytes" }] as const;
    const wrapped = concat([
      encodeAbiParameters(factoryCall, [stack.contractAddress, "0x1234", inner]),
      `0x${"6492".repeat(16)}`,
    ]);
    for (const fundingMethod of ["ALLOWANCE", "ERC_3009"]) {
      const body = { signature: wrapped, payerAddress: undeployed, fundingMethod };
      const refused = await client.post<Intent & ErrorBody>(`/payment-intents/${intent.id}/confirm`, body);
      expectError(refused, 400, "signature_verification_failed");
      expect(refused.body.error.message).to.include("deploy the wallet first");
    }
  });

  it("cannot sign DAI's permit: the token accepts only the holder's key", async () => {
    const intent = await create(client, { currency: "DAI" });
    const refused = await client.post<Intent & ErrorBody>(`/payment-intents/${intent.id}/confirm`, {
      payerAddress: wallet,
      fundingMethod: "DAI_PERMIT",
      signature: await owner.signTypedData(await namedTypedData(intent, wallet)),
      permitSignature: await signFor(client, intent, owner, "DAI_PERMIT"),
    });
    expectError(refused, 400, "signature_verification_failed", "permitSignature");
  });

  it("cannot burn the relayer's gas", async () => {
    const burner = newPayer().address;
    // Returns the selector of isValidSignature after expanding memory to 512,000 bytes, which costs about 550,000 gas.
    const bytecode = "0x6207d0005150631626ba7e60e01b60005260206000f3";
    await createChainClient(stack.rpcUrl).setCode({ address: burner, bytecode });
    const refused = await confirmBy(await create(client), "0x1234", burner);
    expectError(refused, 400, "invalid_request", "payerAddress");
    expect(refused.body.error.message).to.include("more gas");
  });

  it("cannot be made to pay by a stranger's signature", async () => {
    const intent = await create(client);
    const signature = await newPayer().signTypedData(await namedTypedData(intent, wallet));
    expectError(await confirmBy(intent, signature, wallet), 400, "signature_verification_failed");
  });
});

describe("a payer whose account runs code (EIP-7702)", () => {
  it("pays with its own key, although the code accepts other signatures", async () => {
    const payer = newPayer();
    const code = await delegate(stack.rpcUrl, payer);
    const installed = await createChainClient(stack.rpcUrl).getCode({ address: payer.address });
    expect(installed).to.equal(`0xef0100${code.slice(2).toLowerCase()}`);
    const intent = await create(client);
    await confirm(client, intent, payer);
    await untilStatus(client, intent.id, "SUCCEEDED");
    expect(await retrieveEscrow(client, intent.id)).to.include({ buyerAddress: payer.address });
  });
});

describe("an oracle whose wallet is a contract", () => {
  it("acts through its owner's signature", async () => {
    const intent = await fund(client, { deliveryOracle: wallet });
    const proof = orderMessage(intent.data.typedData, "DeliveryProof", { proofHash: HASH_A, proofURI: "" });
    const say = async (account: PrivateKeyAccount) =>
      prove<Proof & ErrorBody>(client, intent.id, {
        submittedBy: wallet,
        oracleSignature: await account.signTypedData(proof),
      });
    expectError(await say(newPayer()), 400, "signature_verification_failed", "oracleSignature");
    const { status, body } = await say(owner);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await retrieveEscrow(client, intent.id)).to.include({
      orderStatus: "DELIVERED",
      actualDeliveryHash: HASH_A,
    });
  });
});
