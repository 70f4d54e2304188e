// Creating a payment intent (spec, operation 1).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type Hex, keccak256, toHex, zeroAddress } from "viem";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Escrow, type Intent } from "./support/client.ts";
import { confirm, create, GOOD, newPayer, retrieve, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

const retrieveEscrow = async (id: string) =>
  (await client.get<Escrow>(`/payment-intents/${id}/escrow`)).body.data;
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

describe("creating a payment intent", () => {
  it("returns 200 with the spec's envelope, INITIATED, and one phase in progress", async () => {
    const { status, body } = await client.post<Intent>("/payment-intents", {
      ...GOOD,
      description: "Order 42",
      metadata: { orderNumber: 42, tags: ["a"] },
    });
    expect(status).to.equal(200);
    expectIntent(body, { created: true });
    expect(body.status).to.equal("INITIATED");
    expect(body.metadata).to.deep.equal({ orderNumber: 42, tags: ["a"] });
    expect(body.data).to.deep.include({
      merchantId: stack.merchants[0]?.merchantId,
      ...GOOD,
      description: "Order 42",
      settlementStatus: "PENDING",
      disputed: false,
      transactionHash: null,
      signature: null,
      fundingMethod: null,
      signerAddress: null,
      payerAddress: null,
      contractAddress: stack.contractAddress,
      chainId: stack.chainId,
      paymentUrl: `${stack.paymentPageUrl}/?intent=${body.id}`,
      metadata: {
        orderNumber: 42,
        tags: ["a"],
        tokenAddress: stack.tokens.USDC,
        contractMerchantId: stack.merchants[0]?.account,
      },
    });
    expect(body.data.phases).to.deep.equal([
      { phase: "SIGNATURE_VERIFICATION", status: "IN_PROGRESS", startedAt: body.created },
    ]);
  });

  it("returns an intent that can be paid for seven days, or for the requested time", async () => {
    const WEEK = 7 * 86_400;
    for (const [expiresIn, lasts] of [
      [undefined, WEEK],
      [300, 300],
      [30 * 86_400, 30 * 86_400],
    ] as const) {
      const { created, data } = await create(client, expiresIn === undefined ? {} : { expiresIn });
      // The deadline depends on the chain's clock, which may differ from the service's clock by one block.
      expect(data.expiresAt - created).to.be.closeTo(lasts, 5);
      expect(data.typedData?.message).to.include({ deadline: data.expiresAt });
    }
    for (const expiresIn of [299, 30 * 86_400 + 1, 3600.5, "3600", null, -1]) {
      const answer = await client.post("/payment-intents", { ...GOOD, expiresIn });
      expectError(answer, 400, "invalid_request", "expiresIn");
    }
    const lock = inAnHour();
    const metadata = { releaseType: "TIME_LOCKED", timeLockUntil: String(lock) };
    expect((await create(client, { metadata, expiresIn: WEEK })).data.expiresAt).to.equal(lock);
    expect((await create(client, { metadata, expiresIn: 600 })).data.expiresAt).to.be.below(lock);
  });

  it("rejects a currency that the network does not support, and lists the supported ones", async () => {
    const answer = await client.post<ErrorBody>("/payment-intents", { ...GOOD, currency: "GOLD" });
    expectError(answer, 400, "invalid_request", "currency");
    expect(answer.body.error.message).to.match(/USDC.*USDT.*DAI|DAI.*USDC.*USDT/);
  });

  it("binds a payer: the typed data names that account, and no other account can confirm", async () => {
    const payer = newPayer();
    const intent = await create(client, { payerAddress: payer.address });
    expect(intent.data.payerAddress).to.equal(payer.address);
    expect(intent.data.typedData?.message).to.include({ payer: payer.address });
    const stranger = newPayer();
    const body = {
      signature: await stranger.signTypedData(intent.data.typedData as never),
      payerAddress: stranger.address,
    };
    const path = `/payment-intents/${intent.id}/confirm`;
    expectError(await client.post(path, body), 400, "invalid_request", "payerAddress");
    const attached = `/payment-intents/public/${intent.id}/payer`;
    expectError(
      await client.post(attached, { payerAddress: stranger.address }),
      400,
      "invalid_request",
      "payerAddress",
    );
    await confirm(client, intent, payer);
    await untilStatus(client, intent.id, "SUCCEEDED");
    for (const payerAddress of [zeroAddress, stack.merchants[0]?.account, "0x12"]) {
      expectError(
        await client.post("/payment-intents", { ...GOOD, payerAddress }),
        400,
        "invalid_request",
        "payerAddress",
      );
    }
  });

  it("returns an intent that can be funded until its time lock ends, so that a withheld signature cannot skip the lock", async () => {
    const timeLockUntil = inAnHour();
    const metadata = { releaseType: "TIME_LOCKED", timeLockUntil: String(timeLockUntil) };
    const locked = await create(client, { metadata });
    expect(Number(locked.data.typedData?.message.deadline)).to.equal(timeLockUntil);
    const past = await create(client, { metadata: { ...metadata, timeLockUntil: "1700000000" } });
    expect(Number(past.data.typedData?.message.deadline)).to.be.greaterThan(timeLockUntil + 500_000);
  });

  it("returns the same data as a later retrieval, apart from the echoed metadata", async () => {
    const { metadata: _, ...created } = await create(client, { metadata: { note: "kept" } });
    expect(await retrieve(client, created.id)).to.deep.equal(created);
  });

  it("shows the typed data of the DeliveryVsPayment shape, with amounts in the token's smallest unit", async () => {
    const { data } = await create(client, { amount: "12.5" });
    expect(data.typedData.domain).to.deep.equal({
      name: "DeliveryVsPayment",
      version: "1",
      chainId: stack.chainId,
      verifyingContract: stack.contractAddress,
    });
    expect(data.typedData.message).to.deep.include({
      intentId: data.id,
      payer: "0x0000000000000000000000000000000000000000",
      payee: stack.merchants[0]?.account,
      amount: "12500000",
      token: stack.tokens.USDC,
    });
    // The deadline starts at the payment time. The latest block may be ahead of wall time.
    const head = Number((await localChainClient(stack.rpcUrl).getBlock()).timestamp);
    expect(Number(data.typedData.message.deadline) - 604_800).to.be.within(
      data.created - 1,
      Math.max(data.created, head),
    );
  });

  it.each([
    ["USDC", "1", "1.00"],
    ["USDC", "0.000001", "0.000001"],
    ["USDT", "1234567890.10", "1234567890.10"],
    ["DAI", "0.000000000000000001", "0.000000000000000001"],
    ["DAI", "5.500000000000000000", "5.50"],
  ] as const)("shows %s %s as %s", async (currency, amount, shown) => {
    expect((await create(client, { currency, amount })).data.amount).to.equal(shown);
  });

  it("accepts every settlement method, and shows its cost and duration", async () => {
    for (const settlementMethod of ["OFF_RAMP_MOCK", "OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"] as const) {
      expectIntent(await create(client, { settlementMethod }), { created: true });
    }
  });

  it("creates a new intent each time, even for the same request", async () => {
    const intents = await Promise.all(Array.from({ length: 20 }, () => create(client)));
    expect(new Set(intents.map(({ id }) => id)).size).to.equal(20);
  });

  it("accepts CONDITIONAL, and returns it with the PaymentIntent typed data and without an escrow", async () => {
    const intent = await create(client, { type: "CONDITIONAL", amount: "3" });
    expectIntent(intent, { created: true });
    expect(intent.data.type).to.equal("CONDITIONAL");
    expect(intent.data.typedData.types.PaymentIntent).to.deep.equal([
      { name: "intentId", type: "bytes32" },
      { name: "amount", type: "uint256" },
      { name: "nonce", type: "uint256" },
    ]);
    expect(intent.data.typedData.message).to.deep.equal({
      intentId: intent.id.replace("intent_", "0x"),
      amount: "3000000",
      nonce: 0,
    });
    expectError(await client.get(`/payment-intents/${intent.id}/escrow`), 400, "invalid_request");
  });

  it.each(["deliveryPeriod", "expectedDeliveryHash", "autoRelease", "deliveryOracle"])(
    "rejects %s for a CONDITIONAL payment",
    async (param) => {
      const value = {
        deliveryPeriod: 60,
        expectedDeliveryHash: keccak256(toHex("x")),
        autoRelease: true,
        deliveryOracle: stack.oracle.address,
      }[param];
      const answer = await client.post("/payment-intents", { ...GOOD, type: "CONDITIONAL", [param]: value });
      expectError(answer, 400, "invalid_request", param);
    },
  );
});

describe("the escrow terms of a new intent", () => {
  it("are the spec's defaults: thirty days, delivery proof, no auto-release", async () => {
    expect(await retrieveEscrow((await create(client)).id)).to.deep.include({
      deliveryPeriod: 2_592_000,
      releaseType: "DELIVERY_PROOF",
      autoReleaseOnProof: false,
      timeLockUntil: null,
      expectedDeliveryHash: `0x${"0".repeat(64)}`,
      disputeWindow: "604800",
    });
  });

  it("follow the body", async () => {
    const expectedDeliveryHash = keccak256(toHex("parcel"));
    const { id } = await create(client, {
      deliveryPeriod: 86_400,
      expectedDeliveryHash,
      autoRelease: true,
      deliveryOracle: stack.oracle.address.toLowerCase() as Hex,
    });
    expect(await retrieveEscrow(id)).to.deep.include({
      deliveryPeriod: 86_400,
      expectedDeliveryHash,
      autoReleaseOnProof: true,
      deliveryOracle: stack.oracle.address,
      releaseType: "AUTO_RELEASE",
    });
  });

  it.each([
    [{ releaseType: "DELIVERY_PROOF" }, { releaseType: "DELIVERY_PROOF", autoReleaseOnProof: false }],
    [
      { releaseType: "DELIVERY_PROOF", autoRelease: true },
      { releaseType: "DELIVERY_PROOF", autoReleaseOnProof: true },
    ],
    [{ autoRelease: true }, { releaseType: "AUTO_RELEASE", autoReleaseOnProof: true }],
    [{ releaseType: "AUTO_RELEASE" }, { releaseType: "AUTO_RELEASE", autoReleaseOnProof: true }],
    [{ releaseType: "MILESTONE_LOCKED" }, { releaseType: "MILESTONE_LOCKED", autoReleaseOnProof: false }],
    [
      { releaseType: "TIME_LOCKED", timeLockUntil: "1700000000" },
      { releaseType: "TIME_LOCKED", timeLockUntil: "1700000000" },
    ],
  ])("follow the metadata %j", async (metadata, terms) => {
    const intent = await create(client, { metadata });
    expect(await retrieveEscrow(intent.id)).to.deep.include(terms);
    expect(intent.data.metadata).to.deep.include(metadata);
  });

  it("accept a time lock of an hour, and extend the delivery period for a later lock", async () => {
    const soon = String(inAnHour());
    const { id } = await create(client, { metadata: { releaseType: "TIME_LOCKED", timeLockUntil: soon } });
    expect(await retrieveEscrow(id)).to.include({ timeLockUntil: soon, deliveryPeriod: 2_592_000 });
    const late = String(inAnHour() + 3_000_000);
    const other = await create(client, { metadata: { releaseType: "TIME_LOCKED", timeLockUntil: late } });
    const { deliveryPeriod } = await retrieveEscrow(other.id);
    expect(deliveryPeriod).to.be.within(3_003_000, 3_003_700);
  });

  it.each([
    ["TIME_LOCKED without timeLockUntil", { releaseType: "TIME_LOCKED" }, "metadata.timeLockUntil"],
    [
      "milliseconds",
      { releaseType: "TIME_LOCKED", timeLockUntil: "1795251528000" },
      "metadata.timeLockUntil",
    ],
    ["a date", { releaseType: "TIME_LOCKED", timeLockUntil: "2026-12-01" }, "metadata.timeLockUntil"],
    ["a fraction", { releaseType: "TIME_LOCKED", timeLockUntil: "1795251528.5" }, "metadata.timeLockUntil"],
    ["zero", { releaseType: "TIME_LOCKED", timeLockUntil: "0" }, "metadata.timeLockUntil"],
    ["negative", { releaseType: "TIME_LOCKED", timeLockUntil: "-5" }, "metadata.timeLockUntil"],
    [
      "a lock beyond every delivery",
      { releaseType: "TIME_LOCKED", timeLockUntil: "9999999999" },
      "metadata.timeLockUntil",
    ],
    ["an unknown release type", { releaseType: "WHENEVER" }, "metadata.releaseType"],
    ["the release type of CONDITIONAL payments", { releaseType: "IMMEDIATE" }, "metadata.releaseType"],
    ["a release type that is no string", { releaseType: 7 }, "metadata.releaseType"],
    ["autoRelease that is no boolean", { autoRelease: "perhaps" }, "metadata.autoRelease"],
  ])("cannot be derived from %s", async (_what, metadata, param) => {
    expectError(await client.post("/payment-intents", { ...GOOD, metadata }), 400, "invalid_request", param);
  });

  it("cannot have a delivery period that is shorter than the time lock", async () => {
    const metadata = { releaseType: "TIME_LOCKED", timeLockUntil: String(inAnHour()) };
    const answer = await client.post("/payment-intents", { ...GOOD, deliveryPeriod: 60, metadata });
    expectError(answer, 400, "invalid_request", "deliveryPeriod");
  });
});
