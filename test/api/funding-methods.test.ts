// A payer without an allowance can pay with signatures only, if the token supports it (docs/funding-methods.md).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import {
  type Address,
  decodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseSignature,
  type TypedDataDefinition,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { authorizationAbi } from "#core/chain/abi/authorization.ts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { erc2612TypedData } from "#core/chain/funding-methods.ts";
import { restoreTerms } from "#core/chain/terms.ts";
import { faucet, setGasBalances } from "#scripts/devnet/deploy.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { checkoutOf, methodsOf, signFor } from "./support/authorizations.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import {
  create,
  createChainClient,
  type LocalChain,
  newPayer,
  retrieve,
  untilStatus,
} from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let page: Client;
let chain: LocalChain;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  page = new Client(stack.baseUrl);
  chain = createChainClient(stack.rpcUrl);
});
afterAll(() => stack?.stop());

const handIn = <T = ErrorBody>(intent: Intent, payer: PrivateKeyAccount, body: object) =>
  page.post<T>(`/payment-intents/public/${intent.id}/confirm`, { payerAddress: payer.address, ...body });

/** Returns the name of the contract function that funded the intent. */
async function functionOf(hash: Hex | null): Promise<string> {
  const { input } = await chain.getTransaction({ hash: hash ?? "0x" });
  return decodeFunctionData({ abi: deliveryVsPaymentAbi, data: input }).functionName;
}

/** Returns the number of the payer's permits that the token has used. */
const permitsOf = (payer: PrivateKeyAccount, token: Address): Promise<bigint> =>
  chain.readContract({
    address: token,
    abi: authorizationAbi,
    functionName: "nonces",
    args: [payer.address],
  });

/** Revokes the allowance in a transaction that the payer sends. */
async function revokeAllowance(payer: PrivateKeyAccount): Promise<void> {
  await setGasBalances(stack.rpcUrl, [payer.address]);
  const hash = await chain.writeContract({
    account: payer,
    address: stack.tokens.DAI,
    abi: erc20Abi,
    functionName: "approve",
    args: [stack.contractAddress, 0n],
  });
  await chain.waitForTransactionReceipt({ hash });
}

describe("the funding methods of a token", () => {
  it("are shown to the payer, with the domain of the signed data", async () => {
    const [usdc, usdt, dai] = await Promise.all(
      (["USDC", "USDT", "DAI"] as const).map(async (currency) =>
        checkoutOf(page, await create(client, { currency })),
      ),
    );
    if (!usdc || !usdt || !dai) throw new Error("Three were asked for.");
    expect(methodsOf(usdc)).to.include.members(["ALLOWANCE", "ERC_2612", "ERC_3009"]);
    expect(methodsOf(usdt)).to.include("ALLOWANCE").and.not.to.include.oneOf(["ERC_2612", "ERC_3009"]);
    expect(methodsOf(dai)).to.include.members(["ALLOWANCE", "DAI_PERMIT"]);
    expect(methodsOf(dai)).not.to.include.oneOf(["ERC_2612", "ERC_3009"]);
    expect(usdc.fundingMethods.find(({ method }) => method === "ERC_3009")?.domain).to.deep.equal({
      name: "Test USD Coin",
      version: "1",
      chainId: stack.chainId,
      verifyingContract: stack.tokens.USDC,
    });
    expect(dai.fundingMethods.find(({ method }) => method === "DAI_PERMIT")?.domain).to.deep.equal({
      name: "Test Dai Stablecoin",
      version: "1",
      chainId: stack.chainId,
      verifyingContract: stack.tokens.DAI,
    });
  });
});

describe("a single signature of an ERC-3009 authorization", () => {
  it("is both the approval and the payment: the token moves the payer's funds, and accepts the signature only once", async () => {
    const payer = newPayer();
    const intent = await create(client);
    const signature = await signFor(page, intent, payer, "ERC_3009");
    const body = { signature, fundingMethod: "ERC_3009" };
    // The gateway mints test tokens only for allowance payments.
    const poor = await handIn(intent, payer, body);
    expectError(poor, 400, "invalid_request", "payerAddress");
    expect(poor.body.error.message).to.include("100.00 USDC").and.to.include("authorization");
    await faucet(stack.rpcUrl, stack.tokens.USDC, payer.address, 100_000_000n);
    const paid = await handIn<Intent>(intent, payer, body);
    expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
    expect(paid.body.status).to.equal("PROCESSING");
    const { data, transactionHash } = await untilStatus(client, intent.id, "SUCCEEDED");
    expect(data).to.include({ signerAddress: payer.address, signature, fundingMethod: "ERC_3009" });
    expect(await functionOf(transactionHash)).to.equal("createOrderWithAuthorization");
    const used = await chain.readContract({
      address: stack.tokens.USDC,
      abi: authorizationAbi,
      functionName: "authorizationState",
      args: [payer.address, intent.id.replace("intent_", "0x") as Hex],
    });
    expect(used).to.equal(true);
  });

  it("is rejected if it is by somebody else, for a different payment, or of a different kind", async () => {
    const payer = newPayer();
    const [intent, other] = await Promise.all([create(client), create(client)]);
    const signatures = [
      await signFor(page, intent, newPayer(), "ERC_3009"),
      await signFor(page, other, payer, "ERC_3009"),
      await payer.signTypedData(intent.data.typedData),
      "0x1234",
      "no hex",
    ];
    for (const signature of signatures) {
      const refused = await handIn(intent, payer, { signature, fundingMethod: "ERC_3009" });
      expectError(refused, 400, "signature_verification_failed");
    }
    expect((await retrieve(client, intent.id)).status).to.equal("INITIATED");
  });
});

describe("ERC-2612's permit with the payment's signature", () => {
  it("approves exactly the amount", async () => {
    const payer = newPayer();
    const intent = await create(client);
    const signature = await payer.signTypedData(intent.data.typedData);
    const permitSignature = await signFor(page, intent, payer, "ERC_2612");
    const foreign = {
      missing: undefined,
      "a stranger's": await signFor(page, intent, newPayer(), "ERC_2612"),
      "of another nonce": await signFor(page, intent, payer, "ERC_2612", { nonce: 1n }),
      "not a signature": "0x12",
    };
    for (const [what, wrong] of Object.entries(foreign)) {
      const refused = await handIn(intent, payer, {
        signature,
        fundingMethod: "ERC_2612",
        permitSignature: wrong,
      });
      const code = wrong === undefined ? "invalid_request" : "signature_verification_failed";
      expect(refused.body.error.code, what).to.equal(code);
      expectError(refused, 400, code, "permitSignature");
    }
    const paid = await client.post<Intent>(`/payment-intents/${intent.id}/confirm`, {
      ...{ signature, payerAddress: payer.address, fundingMethod: "ERC_2612", permitSignature },
    });
    expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
    const { transactionHash } = await untilStatus(client, intent.id, "SUCCEEDED");
    expect(await functionOf(transactionHash)).to.equal("createOrderForWithPermit");
    expect(await permitsOf(payer, stack.tokens.USDC)).to.equal(1n);
  });
});

describe("DAI's own permit with the payment's signature", () => {
  const allowanceOf = (payer: PrivateKeyAccount) =>
    chain.readContract({
      address: stack.tokens.DAI,
      abi: erc20Abi,
      functionName: "allowance",
      args: [payer.address, stack.contractAddress],
    });

  /** Creates a payment in DAI and signs it as the payer. */
  async function signedPayment(payer: PrivateKeyAccount) {
    const intent = await create(client, { currency: "DAI" });
    const signature = await payer.signTypedData(intent.data.typedData);
    return { intent, body: { signature, fundingMethod: "DAI_PERMIT" } };
  }

  const payWith = async (
    { intent, body }: Awaited<ReturnType<typeof signedPayment>>,
    payer: PrivateKeyAccount,
    permitSignature: Hex,
  ) => {
    const paid = await handIn<Intent>(intent, payer, { ...body, permitSignature });
    expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
    return untilStatus(client, intent.id, "SUCCEEDED");
  };

  it("approves any amount, and is submitted by the gateway with the payment", async () => {
    const payer = newPayer();
    const payment = await signedPayment(payer);
    const permitSignature = await signFor(page, payment.intent, payer, "DAI_PERMIT");
    const { data, transactionHash } = await payWith(payment, payer, permitSignature);
    expect(data).to.include({ signerAddress: payer.address, fundingMethod: "DAI_PERMIT" });
    expect(await functionOf(transactionHash)).to.equal("createOrderForWithPermit");
    expect(await permitsOf(payer, stack.tokens.DAI)).to.equal(1n);
    expect(await allowanceOf(payer)).to.equal(maxUint256);
  });

  it("is rejected if it is missing, signed by a stranger, for a different nonce, without an allowance, or an ERC-2612 permit", async () => {
    const payer = newPayer();
    const { intent, body } = await signedPayment(payer);
    const checkout = await checkoutOf(page, intent);
    const domain = checkout.fundingMethods.find(({ method }) => method === "DAI_PERMIT")?.domain;
    if (!domain) throw new Error("The checkout does not offer DAI_PERMIT.");
    const terms = restoreTerms(checkout.terms);
    const authorized = { contract: checkout.contractAddress, terms };
    const ofErc2612 = erc2612TypedData(domain, authorized, payer.address, 0n);
    const wrong = {
      missing: undefined,
      "a stranger's": await signFor(page, intent, newPayer(), "DAI_PERMIT"),
      "of another nonce": await signFor(page, intent, payer, "DAI_PERMIT", { nonce: 1n }),
      "allows nothing": await signFor(page, intent, payer, "DAI_PERMIT", { allowed: false }),
      "ERC-2612's": await payer.signTypedData(ofErc2612 as unknown as TypedDataDefinition),
      "not a signature": "0x12",
    };
    for (const [what, permitSignature] of Object.entries(wrong)) {
      const refused = await handIn(intent, payer, { ...body, permitSignature });
      const code = permitSignature === undefined ? "invalid_request" : "signature_verification_failed";
      expect(refused.body.error.code, what).to.equal(code);
      expectError(refused, 400, code, "permitSignature");
    }
    const permitSignature = await signFor(page, intent, payer, "DAI_PERMIT");
    const strange = { ...body, signature: await newPayer().signTypedData(intent.data.typedData) };
    expectError(
      await handIn(intent, payer, { ...strange, permitSignature }),
      400,
      "signature_verification_failed",
    );
    expect((await retrieve(client, intent.id)).status).to.equal("INITIATED");
    expect(await allowanceOf(payer)).to.equal(0n);
  });

  it("is valid once: after a revocation it is rejected, and a permit with the next nonce is accepted", async () => {
    const payer = newPayer();
    const first = await signedPayment(payer);
    const used = await signFor(page, first.intent, payer, "DAI_PERMIT");
    await payWith(first, payer, used);
    await revokeAllowance(payer);
    const second = await signedPayment(payer);
    const replayed = await handIn(second.intent, payer, { ...second.body, permitSignature: used });
    expectError(replayed, 400, "signature_verification_failed", "permitSignature");
    const next = await signFor(page, second.intent, payer, "DAI_PERMIT", { nonce: 1n });
    await payWith(second, payer, next);
    expect(await permitsOf(payer, stack.tokens.DAI)).to.equal(2n);
  });

  it("is no longer needed after somebody else has submitted it", async () => {
    const payer = newPayer();
    const payment = await signedPayment(payer);
    const permitSignature = await signFor(page, payment.intent, payer, "DAI_PERMIT");
    const { terms } = await checkoutOf(page, payment.intent);
    const { r, s, yParity } = parseSignature(permitSignature);
    const stranger = newPayer();
    await setGasBalances(stack.rpcUrl, [stranger.address]);
    const hash = await chain.writeContract({
      account: stranger,
      address: stack.tokens.DAI,
      abi: authorizationAbi,
      functionName: "permit",
      args: [
        ...([payer.address, stack.contractAddress, 0n, BigInt(terms.fundingDeadline), true] as const),
        ...([yParity + 27, r, s] as const),
      ],
    });
    await chain.waitForTransactionReceipt({ hash });
    await payWith(payment, payer, permitSignature);
    expect(await permitsOf(payer, stack.tokens.DAI)).to.equal(1n);
  });
});

describe("an invalid funding method", () => {
  it("is rejected, naming the parameter: a method that the token lacks, an unknown method, and a superfluous permit", async () => {
    const payer = newPayer();
    const intent = await create(client, { currency: "USDT" });
    const signature = await payer.signTypedData(intent.data.typedData);
    for (const fundingMethod of ["ERC_3009", "ERC_2612", "DAI_PERMIT", "GIFT"]) {
      const isPermit = fundingMethod === "ERC_2612" || fundingMethod === "DAI_PERMIT";
      const refused = await handIn(intent, payer, {
        ...{ signature, fundingMethod },
        ...(isPermit ? { permitSignature: signature } : {}),
      });
      expectError(refused, 400, "invalid_request", "fundingMethod");
    }
    expectError(
      await handIn(intent, payer, { signature, permitSignature: signature }),
      400,
      "invalid_request",
      "permitSignature",
    );
    expect((await retrieve(client, intent.id)).status).to.equal("INITIATED");
    const plain = await handIn<Intent>(intent, payer, { signature, fundingMethod: "ALLOWANCE" });
    expect(plain.status, JSON.stringify(plain.body)).to.equal(200);
  });
});
