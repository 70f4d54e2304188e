// A complete payment by a client that knows only the API and verifies every response.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Wallet } from "ethers";
import { Client as Postgres } from "pg";
import { privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { Client, type Escrow, type Intent } from "../api/support/client.ts";
import { loadTerms, payDirectly } from "../api/support/direct-payment.ts";
import * as pay from "../api/support/payments.ts";
import { inDeep } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { follow } from "./support/follow.ts";

let stack: SharedStack;
let client: Client;
let database: Postgres;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  database = new Postgres({ connectionString: stack.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
});

async function payoutsOf(id: string): Promise<string[]> {
  const { rows } = await database.query<{ amount: string }>(
    "select amount::text from mock_bank.transfer where reference in (select reference from gateway.payout where intent_id = decode(substr($1, 8), 'hex'))",
    [id],
  );
  return rows.map(({ amount }) => amount);
}

const SETTLED = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED"];

describe("a payment reaches SETTLED, with every status and phase correct on the way,", () => {
  it("signed by viem", async () => {
    const intent = await pay.create(client, { autoRelease: true });
    const watch = follow(stack, client, intent);
    await pay.confirm(client, intent);
    await watch.until("SUCCEEDED");
    expect((await pay.prove(client, intent.id)).status).to.equal(200);
    await watch.until("SETTLED");
    expect(watch.statuses).to.deep.equal(SETTLED);
    const { phases } = await pay.retrieve(client, intent.id);
    expect(phases.map(({ status }) => status)).to.deep.equal(Array(5).fill("COMPLETED"));
    expect(await payoutsOf(intent.id)).to.deep.equal(["100000000"]);
  });

  inDeep("signed by ethers, in a token of 18 decimals", async () => {
    const intent = await pay.create(client, {
      autoRelease: true,
      currency: "DAI",
      amount: "0.123456789012345678",
    });
    const watch = follow(stack, client, intent);
    const wallet = Wallet.createRandom();
    const { domain, types, message } = intent.data.typedData;
    const { EIP712Domain: _, ...own } = types;
    const { status } = await client.post(`/payment-intents/${intent.id}/confirm`, {
      signature: await wallet.signTypedData(domain as object, own, message),
      payerAddress: wallet.address,
    });
    expect(status).to.equal(200);
    await watch.until("SUCCEEDED");
    await pay.prove(client, intent.id);
    await watch.until("SETTLED");
    expect(watch.statuses).to.deep.equal(SETTLED);
    expect(await payoutsOf(intent.id)).to.deep.equal(["123456789012345678"]);
  });

  it("paid by the payer's own createOrder, without a report", async () => {
    const intent = await pay.create(client, { autoRelease: true });
    const watch = follow(stack, client, intent);
    const hash = await payDirectly(stack, await loadTerms(stack.databaseUrl, intent.id));
    const funded = await watch.until("SUCCEEDED");
    expect(funded).to.include({ transactionHash: hash });
    expect(funded.data).to.include({ signerAddress: stack.payer.address, signature: null });
    await pay.prove(client, intent.id);
    await watch.until("SETTLED");
    expect(watch.statuses).to.deep.equal(SETTLED);
    expect(await payoutsOf(intent.id)).to.have.length(1);
  });

  it("of type CONDITIONAL, without any proof", async () => {
    const intent = await pay.create(client, { type: "CONDITIONAL" });
    const watch = follow(stack, client, intent);
    await pay.confirm(client, intent);
    await watch.until("SETTLED");
    expect(watch.statuses).to.deep.equal(SETTLED);
    expect(await payoutsOf(intent.id)).to.have.length(1);
  });

  inDeep("proven by the oracle on chain, without a report", async () => {
    const intent = await pay.fund(client, { autoRelease: true, deliveryOracle: stack.oracle.address });
    await pay.createChainClient(stack.rpcUrl).writeContract({
      account: privateKeyToAccount(stack.oracle.privateKey),
      address: stack.contractAddress,
      abi: deliveryVsPaymentAbi,
      functionName: "submitDeliveryProof",
      args: [await loadTerms(stack.databaseUrl, intent.id), pay.HASH_A, ""],
    });
    await pay.untilStatus(client, intent.id, "SETTLED");
    expect(await payoutsOf(intent.id)).to.have.length(1);
  });

  it("proven on the oracle's behalf by the merchant, as test mode allows", async () => {
    const { id } = await pay.fund(client, { autoRelease: true, deliveryOracle: stack.oracle.address });
    expect((await pay.prove(client, id, { submittedBy: stack.oracle.address })).status).to.equal(200);
    await pay.untilStatus(client, id, "SETTLED");
    expect(await payoutsOf(id)).to.have.length(1);
  });
});

describe("a payment keeps its status", () => {
  it("after its proof, without auto-release: nothing is released, settled or paid out automatically", async () => {
    const { id } = await pay.fund(client, { autoRelease: false });
    expect((await pay.prove(client, id)).status).to.equal(200);
    // Waits until a payment with auto-release, started later, has completed.
    const other = await pay.fund(client, { autoRelease: true });
    await pay.prove(client, other.id);
    await pay.untilStatus(client, other.id, "SETTLED");
    expect((await pay.retrieve(client, id)).status).to.equal("SUCCEEDED");
    const { data } = (await client.get<Escrow>(`/payment-intents/${id}/escrow`)).body;
    expect(data).to.include({ orderStatus: "DELIVERED", settlementStatus: "NONE", releasedAt: null });
    expect(await payoutsOf(id)).to.deep.equal([]);
  });

  it("when nobody signs", async () => {
    const intent: Intent = await pay.create(client);
    const { metadata: _, ...created } = intent;
    await pay.fund(client);
    expect(await pay.retrieve(client, intent.id)).to.deep.equal(created);
  });
});

describe("many concurrent payments", () => {
  it("are each paid out once, by one transaction each", async () => {
    const intents = await Promise.all(
      Array.from({ length: 10 }, () => pay.create(client, { autoRelease: true })),
    );
    await Promise.all(intents.map((intent) => pay.confirm(client, intent)));
    await Promise.all(intents.map(({ id }) => pay.untilStatus(client, id, "SUCCEEDED")));
    await Promise.all(intents.map(({ id }) => pay.prove(client, id)));
    await Promise.all(intents.map(({ id }) => pay.untilStatus(client, id, "SETTLED")));
    for (const { id } of intents) expect(await payoutsOf(id)).to.deep.equal(["100000000"]);
  });
});
