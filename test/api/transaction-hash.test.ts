// Reporting the hash of the payer's own transaction (spec, operation 5). The report decides nothing; only the chain
// does.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { connect } from "#core/db/client.ts";
import { reportedTransaction } from "#core/db/schema/transactions.ts";
import type { IntentId } from "#core/ids.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import {
  loadTerms,
  payDirectly,
  sendPaymentWithNonceGap,
  sendRevertingPayment,
} from "./support/direct-payment.ts";
import {
  confirm,
  create,
  createChainClient,
  HASH_A,
  type LocalChain,
  newPayer,
  retrieve,
  untilStatus,
} from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

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

const report = <T = Intent>(id: string, transactionHash: unknown) =>
  page.post<T>(`/payment-intents/public/${id}/transaction-hash`, { transactionHash });

const attach = (id: string, payerAddress: string) =>
  page.post(`/payment-intents/public/${id}/payer`, { payerAddress });

/** Backdates the report by three minutes. */
async function age(id: string): Promise<void> {
  const database = connect(stack.databaseUrl, { max: 1, application: "test" });
  await database
    .update(reportedTransaction)
    .set({ createdAt: sql`${reportedTransaction.createdAt} - interval '3 minutes'` })
    .where(eq(reportedTransaction.intentId, id as IntentId));
  await database.$client.end();
}

describe("reporting a transaction's hash", () => {
  it("changes nothing if the chain does not know the transaction, and does not prevent anyone from paying", async () => {
    const intent = await create(client);
    const { status, body } = await report(intent.id, HASH_A);
    expect(status).to.equal(200);
    expectIntent(body);
    expect(body).to.include({ status: "INITIATED", transactionHash: null });
    expect((await confirm(client, intent)).status).to.equal("PROCESSING");
    expect((await report(intent.id, HASH_A)).body.transactionHash).not.to.equal(HASH_A);
  });

  it("is rejected for a transaction that pays for something else, and nothing changes", async () => {
    const [intent, other] = [await create(client), await create(client)];
    const foreign = await payDirectly(stack, await loadTerms(stack.databaseUrl, other.id));
    const deployment = (await chain.getBlock({ blockNumber: 1n })).transactions[0];
    for (const hash of [foreign, deployment]) {
      if (hash) expectError(await report(intent.id, hash), 400, "invalid_request", "transactionHash");
    }
    expect((await retrieve(client, intent.id)).status).to.equal("INITIATED");
  });

  it("leads from the payer's own createOrder to PROCESSING immediately, and then to SUCCEEDED", async () => {
    const intent = await create(client);
    const hash = await payDirectly(stack, await loadTerms(stack.databaseUrl, intent.id));
    const { status, body } = await report(intent.id, hash);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.status).to.be.oneOf(["PROCESSING", "SUCCEEDED"]);
    expect(body.transactionHash).to.equal(hash);
    const succeeded = await untilStatus(client, intent.id, "SUCCEEDED");
    expect(succeeded.transactionHash).to.equal(hash);
    expect(succeeded.data).to.include({
      signerAddress: stack.payer.address,
      signature: null,
      fundingMethod: null,
    });
  });

  it("leads to REQUIRES_ACTION if the payer's transaction failed, and the payment can still be confirmed", async () => {
    const intent = await create(client);
    const terms = await loadTerms(stack.databaseUrl, intent.id);
    await attach(intent.id, stack.payer.address);
    const hash = await sendRevertingPayment(stack, terms);
    expect((await report(intent.id, hash)).body.status).to.equal("REQUIRES_ACTION");
    // If another payer takes over, the payment has not failed. If the first payer is reported again, it has.
    await attach(intent.id, newPayer().address);
    expect((await retrieve(client, intent.id)).status).to.equal("REQUIRES_SIGNATURE");
    const { status, body } = await attach(intent.id, stack.payer.address);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await retrieve(client, intent.id)).status).to.equal("REQUIRES_ACTION");
    await confirm(client, intent);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("counts for two minutes while the transaction is not mined, however often it is reported, and despite other reports", async () => {
    const intent = await create(client);
    const terms = await loadTerms(stack.databaseUrl, intent.id);
    const pending = await sendPaymentWithNonceGap(stack, terms);
    expect((await report(intent.id, pending)).body).to.include({
      status: "PROCESSING",
      transactionHash: pending,
    });
    await age(intent.id);
    for (const hash of [pending, await sendPaymentWithNonceGap(stack, terms)]) {
      expect((await report(intent.id, hash)).body).to.include({ status: "INITIATED", transactionHash: null });
    }
    const mined = await payDirectly(stack, terms);
    expect((await report(intent.id, mined)).body.transactionHash).to.equal(mined);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("does not prevent attaching the payer, confirming or canceling while the transaction is not mined", async () => {
    const [paid, canceled] = [await create(client), await create(client)];
    for (const { id } of [paid, canceled]) {
      const { body } = await report(
        id,
        await sendPaymentWithNonceGap(stack, await loadTerms(stack.databaseUrl, id)),
      );
      expect(body.status).to.equal("PROCESSING");
      expect((await attach(id, newPayer().address)).status).to.equal(200);
    }
    await confirm(client, paid);
    await untilStatus(client, paid.id, "SUCCEEDED");
    const { body } = await client.post<Intent>(`/payment-intents/${canceled.id}/cancel`, undefined);
    expect(body.status, JSON.stringify(body)).to.equal("CANCELED");
  });

  it("changes nothing if a stranger's transaction failed, before and after the payer's own", async () => {
    const intent = await create(client);
    const terms = await loadTerms(stack.databaseUrl, intent.id);
    const failed = await sendRevertingPayment(stack, terms);
    expect((await report(intent.id, failed)).body).to.include({ status: "INITIATED", transactionHash: null });
    await attach(intent.id, newPayer().address);
    expect((await report(intent.id, failed)).body.status).to.equal("REQUIRES_SIGNATURE");
    const paid = await payDirectly(stack, terms);
    await report(intent.id, paid);
    const { body } = await report(intent.id, failed);
    expect(body.transactionHash).to.equal(paid);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("does not let a failed transaction replace a pending one", async () => {
    const intent = await create(client);
    const terms = await loadTerms(stack.databaseUrl, intent.id);
    const failed = await sendRevertingPayment(stack, terms);
    await confirm(client, intent);
    expect((await report(intent.id, failed)).body.status).to.be.oneOf(["PROCESSING", "SUCCEEDED"]);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it.each([undefined, null, 7, "", "0x12", HASH_A.slice(2), `${HASH_A}00`, `0x${"zz".repeat(32)}`])(
    "rejects the hash %j",
    async (hash) => {
      const { id } = await create(client);
      expectError(await report(id, hash), 400, "invalid_request", "transactionHash");
    },
  );

  it("returns 404 for an intent that does not exist", async () => {
    const unknown: Hex = `0x${"0".repeat(64)}`;
    expectError(await report(unknown.replace("0x", "intent_"), HASH_A), 404, "resource_missing", "intentId");
  });
});
