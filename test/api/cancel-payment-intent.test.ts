// Canceling a payment intent before it is funded (spec, "Payment intent status": CANCELED).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { post } from "./support/escrow.ts";
import { confirm, create, fund, newPayer, retrieve } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
});
afterAll(() => stack?.stop());

const cancel = <T>(id: string, by = client) => post<T>(by, id, "cancel");

async function expectCanceled(id: string): Promise<void> {
  const { status, body } = await cancel<Intent>(id);
  expect(status, JSON.stringify(body)).to.equal(200);
  expectIntent(body);
  expect(body).to.include({ id, status: "CANCELED", settlementStatus: null });
  const shown = await retrieve(client, id);
  // The worker may already have emitted the event, which also changes `updated`.
  const { updated } = shown;
  expect(updated).to.be.at.least(body.updated);
  expect(shown).to.deep.equal({ ...body, updated, data: { ...body.data, updated } });
}

describe("canceling a payment intent", () => {
  it("is possible from INITIATED and from REQUIRES_SIGNATURE", async () => {
    await expectCanceled((await create(client)).id);
    const { id } = await create(client);
    await post(new Client(stack.baseUrl), `public/${id}`, "payer", { payerAddress: newPayer().address });
    expect((await retrieve(client, id)).status).to.equal("REQUIRES_SIGNATURE");
    await expectCanceled(id);
  });

  it("is terminal: the intent cannot be confirmed, canceled again or given a payer", async () => {
    const intent = await create(client);
    await expectCanceled(intent.id);
    expectError(await cancel(intent.id), 400, "invalid_state_transition");
    const payer = newPayer();
    const signature = await payer.signTypedData(intent.data.typedData);
    const body = { signature, payerAddress: payer.address };
    expectError(await post(client, intent.id, "confirm", body), 400, "invalid_state_transition");
    const attach = await post(new Client(stack.baseUrl), `public/${intent.id}`, "payer", {
      payerAddress: payer.address,
    });
    expectError(attach, 400, "invalid_state_transition");
    expect((await retrieve(client, intent.id)).status).to.equal("CANCELED");
  });

  it("is rejected as soon as money may be in transit", async () => {
    const intent = await create(client);
    await confirm(client, intent);
    expectError(await cancel(intent.id), 400, "invalid_state_transition");
    expectError(await cancel((await fund(client)).id), 400, "invalid_state_transition");
  });

  it("takes effect or a concurrent confirmation does, but never both", async () => {
    for (let i = 0; i < 5; i++) {
      const intent = await create(client);
      const payer = newPayer();
      const signature = await payer.signTypedData(intent.data.typedData);
      const answers = await Promise.all([
        cancel(intent.id),
        post(client, intent.id, "confirm", { signature, payerAddress: payer.address }),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    }
  });

  it("returns 404 for a missing intent, and 403 to other merchants", async () => {
    expectError(await cancel(`intent_${"0".repeat(64)}`), 404, "resource_missing", "intentId");
    const { id } = await create(client);
    expectError(await cancel(id, stranger), 403, "forbidden");
    expect((await retrieve(client, id)).status).to.equal("INITIATED");
  });
});
