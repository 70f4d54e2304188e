// The payment page's data, as a single response and as a stream, and submitting a signature without a key.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type Address, getAddress } from "viem";
import { orderIdOf, restoreTerms, type StoredTerms } from "#core/chain/terms.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { confirm, create, fund, HASH_A, newPayer, prove, retrieve, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

type Shown = {
  id: string;
  object: string;
  status: string;
  data: {
    merchantName: string;
    amount: string;
    chainId: number;
    contractAddress: Address;
    terms: StoredTerms;
    confirmations: { seen: number; required: number };
    order: { status: string; payer: Address; fundingTransaction: string } | null;
    milestones: { amount: string; status: string }[];
    signed: { payer: Address; fundingMethod: string } | null;
    fundingFailed: boolean;
  };
};

let stack: SharedStack;
let client: Client;
let page: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  page = new Client(stack.baseUrl);
});
afterAll(() => stack?.stop());

const checkoutPath = (id: string) => `/payment-intents/public/${id}/checkout`;

async function checkout(id: string): Promise<Shown> {
  const { status, body } = await page.get<Shown>(checkoutPath(id));
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}

/** Yields the messages of a stream until the caller stops reading. */
async function* follow(id: string): AsyncGenerator<Shown> {
  const abort = new AbortController();
  const response = await fetch(`${stack.baseUrl}${checkoutPath(id)}`, {
    headers: { Accept: "text/event-stream" },
    signal: abort.signal,
  });
  expect(response.status).to.equal(200);
  expect(response.headers.get("content-type")).to.match(/^text\/event-stream/);
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) {
        if (message.startsWith("data: ")) yield JSON.parse(message.slice("data: ".length)) as Shown;
      }
    }
  } finally {
    abort.abort();
  }
}

describe("a checkout", () => {
  it("contains the terms whose hash is the intent's id, so that payers can check what they sign", async () => {
    const intent = await create(client, { description: "<b>Two chairs</b>" });
    const shown = await checkout(intent.id);
    const { data } = shown;
    expect(shown.object).to.equal("checkout");
    expect(shown.status).to.equal("INITIATED");
    const id = orderIdOf(data.chainId, data.contractAddress, restoreTerms(data.terms));
    expect(`intent_${id.slice(2)}`).to.equal(intent.id);
    expect(data.merchantName).to.be.a("string").and.not.empty;
    expect(data).to.deep.include({ merchantLogoUrl: null, supportEmail: null });
    expect(data.order).to.equal(null);
    expect(data.confirmations).to.deep.equal({ seen: 0, required: 5 });
  });

  it("contains nothing that only the merchant may know", async () => {
    const intent = await fund(client, {
      settlementDestination: "DE89370400440532013000",
      metadata: { private_note: "hush", order: "visible" },
    });
    const text = JSON.stringify(await checkout(intent.id));
    for (const secret of ["DE89370400440532013000", "hush", "visible", intent.data.merchantId]) {
      expect(text).not.to.include(secret);
    }
  });

  it("shows the order once there is one", async () => {
    const payer = newPayer();
    const intent = await fund(client, {}, payer);
    const { data } = await checkout(intent.id);
    expect(data.order?.status).to.equal("Created");
    expect(getAddress(data.order?.payer ?? "0x")).to.equal(payer.address);
    expect(data.confirmations.seen).to.equal(5);
    expect(data.order).to.include({ disputeSide: null, credit: "0.00" });
    expect(data.signed).to.deep.equal({ payer: payer.address, fundingMethod: "ALLOWANCE" });
  });

  it("shows a payment as signed once it is signed, but not when a payer is only attached", async () => {
    const payer = newPayer();
    const intent = await create(client);
    const attached = await client.post(`/payment-intents/public/${intent.id}/payer`, {
      payerAddress: payer.address,
    });
    expect(attached.status).to.equal(200);
    expect((await checkout(intent.id)).data.signed).to.equal(null);
    await confirm(client, intent, payer);
    expect((await checkout(intent.id)).data.signed?.payer).to.equal(payer.address);
  });

  it("shows who raised the latest dispute, and that refunded funds are not claimable", async () => {
    const { id } = await fund(client);
    const raisedBy = stack.merchants[0]?.account;
    await client.post(`/payment-intents/${id}/escrow/dispute`, { reason: "Unpaid", raisedBy });
    expect((await checkout(id)).data.order).to.include({
      ...{ disputeSide: "MERCHANT", disputedByPayer: false, statusBeforeDispute: "Created" },
    });
    const refunded = await fund(client);
    await client.post(`/payment-intents/${refunded.id}/escrow/refund`, { amount: "25.00" });
    expect((await checkout(refunded.id)).data.order).to.include({ refunded: "25.00", credit: "0.00" });
  });

  it("lists the milestones of a milestone order", async () => {
    const intent = await create(client, { metadata: { releaseType: "MILESTONE_LOCKED" } });
    await client.post(`/payment-intents/${intent.id}/escrow/milestones`, {
      milestoneIndex: 0,
      amount: "40.00",
      description: "Design",
    });
    const { data } = await checkout(intent.id);
    expect(data.milestones).to.deep.equal([
      { index: 0, description: "Design", amount: "40.00", status: "PENDING" },
    ]);
  });

  it("returns 404 for an intent that does not exist", async () => {
    for (const id of [`intent_${"0".repeat(64)}`, "intent_x", "x%20y", "%00"]) {
      expectError(await page.get(checkoutPath(id)), 404, "resource_missing", "intentId");
      const streamed = await page.get(checkoutPath(id), { Accept: "text/event-stream" });
      expectError(streamed, 404, "resource_missing", "intentId");
    }
  });
});

describe("a checkout's stream", () => {
  it("shows every step of a payment as it happens, block by block, up to the payout", async () => {
    const intent = await create(client, { autoRelease: true });
    const seen: string[] = [];
    let proven = false;
    let last: Shown | undefined;
    for await (const shown of follow(intent.id)) {
      const { status, data } = shown;
      if (seen.length === 0) await confirm(client, intent);
      expect(shown, "what is sent is new").not.to.deep.equal(last);
      last = shown;
      const step = `${status} ${data.confirmations.seen}`;
      // The order and its reported transaction may be read at slightly different times within the same block.
      if (seen.at(-1) !== step) seen.push(step);
      if (status === "SUCCEEDED" && !proven) {
        proven = true;
        expect((await prove(client, intent.id)).status).to.equal(200);
      }
      if (status === "SETTLED") break;
    }
    expect(seen[0]).to.equal("INITIATED 0");
    // Another transaction may produce two blocks at once. The stream then sends only the second one.
    const underWay = seen.filter((step) => step.startsWith("PROCESSING"));
    expect(underWay).to.have.length.within(1, 5);
    expect(underWay, "each block once, and upwards").to.deep.equal([...new Set(underWay)].sort());
    expect(seen).to.include("SUCCEEDED 5");
    expect(seen.at(-1)).to.equal("SETTLED 5");
    expect(new Set(seen).size, "no block after the fifth is sent").to.be.below(12);
  });

  it("begins with the current state", async () => {
    const intent = await create(client);
    for await (const shown of follow(intent.id)) {
      expect(shown).to.deep.equal(await checkout(intent.id));
      break;
    }
  });
});

describe("a signature that is submitted without a key", () => {
  const handIn = <T = Intent>(id: string, body: object) =>
    page.post<T>(`/payment-intents/public/${id}/confirm`, body);

  it("pays like the merchant's confirmation, and returns the public response", async () => {
    const payer = newPayer();
    const intent = await create(client);
    const signature = await payer.signTypedData(intent.data.typedData);
    const { status, body } = await handIn(intent.id, { signature, payerAddress: payer.address });
    expect(status, JSON.stringify(body)).to.equal(200);
    expectIntent(body);
    expect(body.status).to.equal("PROCESSING");
    expect(body.data.signerAddress).to.equal(payer.address);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("undergoes the same checks: it is rejected if it is another signer's, invalid or repeated", async () => {
    const [payer, other] = [newPayer(), newPayer()];
    const intent = await create(client);
    const signature = await payer.signTypedData(intent.data.typedData);
    for (const body of [
      { signature, payerAddress: other.address },
      { signature: "0x1234", payerAddress: payer.address },
      { signature: "no hex", payerAddress: payer.address },
    ]) {
      expectError(await handIn(intent.id, body), 400, "signature_verification_failed");
    }
    expectError(await handIn(intent.id, { signature }), 400, "invalid_request", "payerAddress");
    expect((await retrieve(client, intent.id)).status).to.equal("INITIATED");
    const both = await Promise.all([
      handIn(intent.id, { signature, payerAddress: payer.address }),
      handIn(intent.id, { signature, payerAddress: payer.address }),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expectError(
      await handIn(intent.id, { signature, payerAddress: payer.address }),
      400,
      "invalid_state_transition",
    );
    expectError(
      await handIn(`intent_${HASH_A.slice(2)}`, { signature, payerAddress: payer.address }),
      404,
      "resource_missing",
      "intentId",
    );
  });
});
