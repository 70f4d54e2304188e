// Live mode (docs/decisions/0005-networks-and-modes.md): real balances and allowances, an independent oracle, and
// separate test and live data. One API serves both networks.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect } from "chai";
import { erc20Abi, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { connect } from "#core/db/client.ts";
import { createUser } from "#core/users/users.ts";
import { PERMIT2 } from "#scripts/devnet/permit2.ts";
import { openTestFolder } from "#scripts/devnet/test-folder.ts";
import { until } from "#scripts/shared/wait.ts";
import { checkoutOf, methodsOf, signFor } from "#test/api/support/authorizations.ts";
import { Client, type ErrorBody, type Intent, type Proof } from "#test/api/support/client.ts";
import { loadTerms } from "#test/api/support/direct-payment.ts";
import { retrieveEscrow, untilEscrow } from "#test/api/support/escrow.ts";
import {
  confirm,
  create as createBy,
  fund as fundBy,
  HASH_A,
  HASH_B,
  newPayer,
  prove,
  retrieve,
  untilStatus,
} from "#test/api/support/payments.ts";
import { originOf } from "#test/api/support/routes.ts";
import { type Login, SessionClient, signIn } from "#test/api/support/session.ts";
import { expectError } from "#test/api/support/shapes.ts";
import { orderMessage } from "#test/support/order-messages.ts";
import type { SharedStack } from "#test/support/shared-stack.ts";
import { placePermit2 } from "./support/permit2.ts";
import { type LiveNetwork, startTwoNetworks, TO_BANK } from "./support/two-networks.ts";

const PRICE = 100_000_000n;

let stack: SharedStack;
let live: LiveNetwork;
let stop: () => Promise<void>;
let client: Client;
let testClient: Client;

beforeAll(async () => {
  const folder = process.env.TEST_FOLDER ?? (await openTestFolder()).folder;
  ({ stack, live, stop } = await startTwoNetworks(join(folder, "live-chain.log")));
  await placePermit2(live);
  client = new Client(stack.baseUrl, live.apiKey);
  testClient = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stop?.());

const create: typeof createBy = (by, changes) => createBy(by, { ...TO_BANK, ...changes });
const fund: typeof fundBy = (by, changes, payer) => fundBy(by, { ...TO_BANK, ...changes }, payer);

/** Creates an account that owns the payment's amount and has approved the escrow. */
async function richPayer(): Promise<PrivateKeyAccount> {
  const payer = newPayer();
  await live.give(payer, PRICE);
  await live.approve(payer, PRICE);
  return payer;
}

const balanceOf = (account: Hex) =>
  live.client.readContract({
    address: live.tokens.USDC,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account],
  });

const signProof = (oracle: PrivateKeyAccount, intent: Intent, proofHash: Hex, proofURI = "") =>
  oracle.signTypedData(orderMessage(intent.data.typedData, "DeliveryProof", { proofHash, proofURI }));

describe("a live payment", () => {
  it("goes from creation to payout with the payer's own money and the oracle's own proof", async () => {
    const [payer, oracle] = [await richPayer(), newPayer()];
    const intent = await create(client, { deliveryOracle: oracle.address, autoRelease: true });
    expect(intent.data).to.include({ chainId: 31_338, merchantId: live.merchantId, status: "INITIATED" });
    const confirmed = await confirm(client, intent, payer);
    expect(confirmed.status).to.equal("PROCESSING");
    await untilStatus(client, intent.id, "SUCCEEDED");
    expect(await balanceOf(payer.address)).to.equal(0n);

    const submittedBy = oracle.address;
    const oracleSignature = await signProof(oracle, intent, HASH_A, "ipfs://proof");
    const { status, body } = await prove<Proof>(client, intent.id, {
      submittedBy,
      proofURI: "ipfs://proof",
      oracleSignature,
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data).to.include({ submittedBy, proofHash: HASH_A });
    await untilStatus(client, intent.id, "SETTLED");
    const escrow = await retrieveEscrow(client, intent.id);
    expect(escrow).to.include({ orderStatus: "COMPLETED", actualDeliveryHash: HASH_A });
    expect([...live.provider.paid().values()]).to.deep.equal([1]);
  });

  it("is rejected for a payer without a balance or an allowance; nothing changes, and a retry is possible", async () => {
    const payer = newPayer();
    const intent = await create(client);
    const signature = await payer.signTypedData(intent.data.typedData);
    const attempt = () =>
      client.post<ErrorBody>(`/payment-intents/${intent.id}/confirm`, {
        signature,
        payerAddress: payer.address,
      });
    const before = await retrieve(client, intent.id);
    const poor = await attempt();
    expectError(poor, 400, "invalid_request", "payerAddress");
    expect(poor.body.error.message).to.include("100.00 USDC").and.to.include(live.contractAddress);
    await live.give(payer, PRICE);
    expectError(await attempt(), 400, "invalid_request", "payerAddress");
    await live.approve(payer, PRICE - 1n);
    expectError(await attempt(), 400, "invalid_request", "payerAddress");
    expect(await retrieve(client, intent.id)).to.deep.equal(before);
    await live.approve(payer, PRICE);
    expect((await attempt()).status).to.equal(200);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("needs one signature if the payer has approved Permit2", async () => {
    const payer = newPayer();
    await live.give(payer, PRICE);
    const intent = await create(client);
    expect(methodsOf(await checkoutOf(client, intent))).to.include("PERMIT2");
    const attempt = (signature: Hex) =>
      client.post<ErrorBody>(`/payment-intents/${intent.id}/confirm`, {
        ...{ signature, payerAddress: payer.address, fundingMethod: "PERMIT2" },
      });
    const signature = await signFor(client, intent, payer, "PERMIT2");
    const foreign = await signFor(client, intent, newPayer(), "PERMIT2");
    expectError(await attempt(foreign), 400, "signature_verification_failed");
    const unapproved = await attempt(signature);
    expectError(unapproved, 400, "invalid_request", "payerAddress");
    expect(unapproved.body.error.message).to.include("approve Permit2");
    await live.approve(payer, 2n ** 256n - 1n, { spender: PERMIT2 });
    expect((await attempt(signature)).status).to.equal(200);
    await untilStatus(client, intent.id, "SUCCEEDED");
    expect(await balanceOf(payer.address)).to.equal(0n);
  });

  it("has a dispute window of at least a day, and its dispute cannot be decided with the merchant's key", async () => {
    const payer = await richPayer();
    const { id } = await fund(client, {}, payer);
    const dispute = (disputeWindow: string) =>
      client.post(`/payment-intents/${id}/escrow/dispute`, {
        reason: "Nothing came.",
        raisedBy: payer.address,
        disputeWindow,
      });
    expectError(await dispute("86399"), 400, "invalid_request", "disputeWindow");
    expect((await dispute("86400")).status).to.equal(200);
    await untilEscrow(client, id, { orderStatus: "DISPUTED" });
    const decided = await client.post(`/payment-intents/${id}/escrow/dispute/resolve`, {
      outcome: "MERCHANT_WON",
    });
    expectError(decided, 400, "invalid_request", "payerSignature");
  });

  it("requires a settlement method that pays, and an account to which it can pay", async () => {
    const { settlementMethod, settlementDestination } = TO_BANK;
    const good = await create(client);
    expect(good.data).to.include({ settlementMethod, settlementDestination });
    await create(client, {
      settlementMethod: "OFF_RAMP_TO_RTP",
      settlementDestination: "021000021/9876543210",
    });
    const bad = (method: string, destination: string) =>
      client.post("/payment-intents", {
        ...{ amount: "1.00", currency: "USDC", type: "DELIVERY_VS_PAYMENT" },
        ...{ settlementMethod: method, settlementDestination: destination },
      });
    for (const method of ["OFF_RAMP_TO_BANK", "OFF_RAMP_TO_RTP"]) {
      const refused = await bad(method, "bank_account_123");
      expectError(refused, 400, "invalid_request", "settlementDestination");
      await create(testClient, { settlementMethod, settlementDestination: "bank_account_123" });
    }
    expectError(
      await bad("OFF_RAMP_MOCK", settlementDestination),
      400,
      "invalid_request",
      "settlementMethod",
    );
  });
});

describe("a live order's oracle", () => {
  it("must act itself: by its signature over this proof, or by its own transaction", async () => {
    const [payer, oracle] = [await richPayer(), newPayer()];
    const intent = await fund(client, { deliveryOracle: oracle.address }, payer);
    const submittedBy = oracle.address;
    const say = (changes: object) => prove<ErrorBody>(client, intent.id, { submittedBy, ...changes });

    expectError(await say({}), 400, "invalid_request", "oracleSignature");
    expectError(await say({ submittedBy: payer.address }), 400, "invalid_request", "submittedBy");
    const foreign = [
      await signProof(newPayer(), intent, HASH_A),
      await signProof(oracle, intent, HASH_B),
      await signProof(oracle, intent, HASH_A, "ipfs://else"),
      await signProof(oracle, await create(client), HASH_A),
    ];
    for (const oracleSignature of foreign) {
      const refused = await say({ oracleSignature });
      expectError(refused, 400, "signature_verification_failed", "oracleSignature");
    }
    expectError(await say({ submitTxHash: HASH_B }), 400, "invalid_request", "submitTxHash");
    expect((await retrieveEscrow(client, intent.id)).orderStatus).to.equal("PENDING");

    await live.give(oracle, 0n);
    const submitTxHash = await live.write(oracle, {
      address: live.contractAddress,
      abi: deliveryVsPaymentAbi,
      functionName: "submitDeliveryProof",
      args: [await loadTerms(live.databaseUrl, intent.id), HASH_A, ""],
    });
    const both = await say({ submitTxHash, oracleSignature: await signProof(oracle, intent, HASH_A) });
    expectError(both, 400, "invalid_request", "oracleSignature");
    const submitted = await prove<Proof>(client, intent.id, { submittedBy, submitTxHash });
    expect(submitted.status, JSON.stringify(submitted.body)).to.equal(200);
    expect(submitted.body.data.submitTxHash).to.equal(submitTxHash);
    const again = await prove<Proof>(client, intent.id, { submittedBy, submitTxHash });
    expect(again.body).to.deep.equal(submitted.body);
    await untilEscrow(client, intent.id, { orderStatus: "DELIVERED" });
  });

  it("cannot be involved in an order that has no oracle", async () => {
    const intent = await fund(client, {}, await richPayer());
    const oracleSignature = await signProof(newPayer(), intent, HASH_A);
    expectError(
      await prove(client, intent.id, { oracleSignature }),
      400,
      "invalid_request",
      "oracleSignature",
    );
    expect((await prove(client, intent.id)).status).to.equal(200);
  });
});

describe("a live payment's public routes", () => {
  const DESTINATION = TO_BANK.settlementDestination;

  /** The public responses before the payment is funded, by method and path. */
  const asked: Record<string, (intent: Intent, page: Client) => Promise<string>> = {
    "GET /payment-intents/public/{intentId}": async ({ id }, page) =>
      JSON.stringify((await page.get(`/payment-intents/public/${id}`)).body),
    "GET /payment-intents/public/{intentId}/checkout": async ({ id }, page) => {
      const path = `/payment-intents/public/${id}/checkout`;
      const stream = await fetch(`${stack.baseUrl}${path}`, { headers: { Accept: "text/event-stream" } });
      let streamed = "";
      for await (const chunk of stream.body ?? []) {
        streamed += new TextDecoder().decode(chunk);
        if (streamed.includes("data:")) break;
      }
      return streamed + JSON.stringify((await page.get(path)).body);
    },
    "POST /payment-intents/public/{intentId}/payer": async ({ id }, page) => {
      const body = { payerAddress: newPayer().address };
      return JSON.stringify((await page.post(`/payment-intents/public/${id}/payer`, body)).body);
    },
    "POST /payment-intents/public/{intentId}/transaction-hash": async ({ id }, page) => {
      const body = { transactionHash: HASH_B };
      return JSON.stringify((await page.post(`/payment-intents/public/${id}/transaction-hash`, body)).body);
    },
    "POST /payment-intents/public/{intentId}/confirm": async ({ id, data }, page) => {
      const payer = await richPayer();
      const signature = await payer.signTypedData(data.typedData);
      const body = { signature, payerAddress: payer.address };
      return JSON.stringify((await page.post(`/payment-intents/public/${id}/confirm`, body)).body);
    },
  };

  it("mask the destination and omit private metadata, even before the payment is funded", async () => {
    const page = new Client(stack.baseUrl);
    const metadata = { order: "A-1", private_note: "margin 12 %" };
    for (const [route, ask] of Object.entries(asked)) {
      const intent = await create(client, { metadata });
      const answer = await ask(intent, page);
      expect(answer, route).to.include(intent.id);
      expect(answer.replaceAll(" ", ""), route).not.to.include(DESTINATION.replaceAll(" ", ""));
      expect(answer, route).not.to.include("margin");
      const own = await retrieve(client, intent.id);
      expect(own.data.settlementDestination).to.equal(DESTINATION);
      expect(own.data.metadata).to.include(metadata);
    }
    const { id } = await create(client, { metadata });
    const { data } = (await page.get<Intent>(`/payment-intents/public/${id}`)).body;
    expect(data.settlementDestination).to.equal("************0 00");
    expect(data.metadata).to.have.keys("order", "tokenAddress", "contractMerchantId");
  });
});

describe("test and live", () => {
  it("intents are inaccessible to the other mode's key, and missing from its list", async () => {
    const [test, real] = [await create(testClient), await create(client)];
    expect(test.data.chainId).not.to.equal(real.data.chainId);
    for (const [by, id] of [
      [testClient, real.id],
      [client, test.id],
    ] as const) {
      for (const path of ["", "/escrow", "/escrow/delivery-proofs", "/escrow/milestones"]) {
        expectError(await by.get(`/payment-intents/${id}${path}`), 403, "forbidden");
      }
      expectError(await by.post(`/payment-intents/${id}/cancel`, {}), 403, "forbidden");
      expectError(await by.get(`/audit-logs?paymentIntentId=${id}`), 403, "forbidden");
      const { body } = await by.get<{ data: Intent[] }>("/payment-intents?limit=100");
      expect(body.data.map((intent) => intent.id)).not.to.include(id);
    }
    expectError(
      await client.get(`/payment-intents/intent_${"0".repeat(64)}`),
      404,
      "resource_missing",
      "intentId",
    );
  });

  it("requests are logged in their own mode, including rejected ones", async () => {
    const database = connect(stack.databaseUrl, { max: 1, application: "test" });
    const login = { email: `${randomBytes(6).toString("hex")}@example.com`, password: "a long password" };
    const merchantId = stack.merchants[0]?.merchantId ?? "";
    await createUser(database, { ...login, name: "Log", merchantId, liveMerchantId: live.merchantId });
    await database.$client.end();
    const { cookie } = await signIn(stack, login);
    const ids = {
      test: `req-${randomBytes(6).toString("hex")}`,
      live: `req-${randomBytes(6).toString("hex")}`,
    };
    // Both live requests are rejected and take the failure path. The request with the test key succeeds.
    const send = (by: Client, path: string, id: string) =>
      fetch(stack.baseUrl + path, { headers: { ...by.credentials(), "X-Request-Id": id } });
    await send(client, "/test/clock", "req-unknown");
    await send(client, `/payment-intents/intent_${"0".repeat(64)}`, ids.live);
    await send(testClient, "/payment-intents", ids.test);
    for (const mode of ["test", "live"] as const) {
      const me = new SessionClient(stack.baseUrl, cookie, mode);
      const listed = async () => {
        const answer = await fetch(`${originOf(stack)}/dashboard/request-log`, { headers: me.credentials() });
        return ((await answer.json()) as { data: { requestId: string }[] }).data.map((row) => row.requestId);
      };
      await until(async () => (await listed()).includes(ids[mode]), {
        what: `The ${mode} request in its log`,
        timeoutMs: 10_000,
      });
      expect(await listed()).not.to.include(ids[mode === "test" ? "live" : "test"]);
    }
  });

  it("have a test clock only on the test network, and only with TEST_CLOCK=on", async () => {
    for (const by of [client, testClient]) {
      expectError(await by.get("/test/clock"), 404, "resource_missing");
      expectError(await by.post("/test/clock/advance", { seconds: 60 }), 404, "resource_missing");
    }
  });

  it("can both be viewed by one dashboard user with access, each as its own merchant", async () => {
    const database = connect(stack.databaseUrl, { max: 1, application: "test" });
    const merchantId = stack.merchants[0]?.merchantId ?? "";
    const [both, testOnly] = ["both", "test"].map((name) => ({
      email: `${name}-${randomBytes(6).toString("hex")}@example.com`,
      password: "a long password",
    })) as [Login, Login];
    await createUser(database, { ...both, name: "Both", merchantId, liveMerchantId: live.merchantId });
    await createUser(database, { ...testOnly, name: "Test", merchantId });
    await database.$client.end();
    const me = await signIn(stack, both);
    const meLive = new SessionClient(stack.baseUrl, me.cookie, "live");
    const real = await create(meLive);
    expect(real.data).to.include({ chainId: 31_338, merchantId: live.merchantId });
    expectError(await me.get(`/payment-intents/${real.id}`), 403, "forbidden");
    const answer = await fetch(`${originOf(stack)}/dashboard/session`, { headers: me.credentials() });
    const { networks } = (await answer.json()) as { networks: object };
    expect(networks).to.nested.include({
      "live.merchantName": "Live merchant",
      "live.account": real.data.metadata.contractMerchantId,
      "test.account": stack.merchants[0]?.account,
    });
    expect(networks)
      .to.have.nested.property("test.merchantName")
      .that.is.a("string")
      .and.not.equal("Live merchant");
    const other = await signIn(stack, testOnly);
    const otherLive = new SessionClient(stack.baseUrl, other.cookie, "live");
    expectError(await otherLive.get("/payment-intents"), 403, "forbidden");
    expect((await other.get("/payment-intents")).status).to.equal(200);
  });

  it("intents are both shown on the payment page, which does not use a key", async () => {
    const page = new Client(stack.baseUrl);
    for (const intent of [await create(testClient), await create(client)]) {
      const { status, body } = await page.get<Intent>(`/payment-intents/public/${intent.id}`);
      expect(status).to.equal(200);
      expect(body.data).to.include({ id: intent.id, chainId: intent.data.chainId });
      const payerAddress = newPayer().address;
      const attached = await page.post<Intent>(`/payment-intents/public/${intent.id}/payer`, {
        payerAddress,
      });
      expect(attached.body.status).to.equal("REQUIRES_SIGNATURE");
    }
  });

  it("are both reported by readiness and metrics", async () => {
    const origin = new URL(stack.baseUrl).origin;
    const ready = (await (await fetch(`${origin}/ready`)).json()) as { parts: object };
    const parts = ["database", "chain", "indexer"];
    expect(ready.parts).to.have.all.keys([...parts, ...parts.map((part) => `live_${part}`)]);
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    for (const network of ["test", "live"]) {
      expect(metrics).to.match(new RegExp(`^indexer_lag_blocks\\{network="${network}"\\} \\d+$`, "m"));
    }
  });

  it("differ in their RPC calls: the live one makes no call that only a development node supports", () => {
    expect(live.strangeRequests).to.deep.equal([]);
  });
});
