// Attaching a payer (spec, "Payment intent status": REQUIRES_SIGNATURE). The payment page does this without a key.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { post } from "./support/escrow.ts";
import { confirm, create, newPayer, retrieve, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let page: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  page = new Client(stack.baseUrl);
});
afterAll(() => stack?.stop());

const attach = <T = Intent>(id: string, body: object) => post<T>(page, `public/${id}`, "payer", body);

describe("attaching a payer", () => {
  it("leads to REQUIRES_SIGNATURE, and the typed data names the payer and can be signed as returned", async () => {
    const payer = newPayer();
    const { id } = await create(client);
    const { status, body } = await attach(id, { payerAddress: payer.address.toLowerCase() });
    expect(status, JSON.stringify(body)).to.equal(200);
    expectIntent(body);
    expect(body.status).to.equal("REQUIRES_SIGNATURE");
    expect(body.data.typedData.message.payer).to.equal(payer.address);
    expect((await retrieve(client, id)).status).to.equal("REQUIRES_SIGNATURE");
    await confirm(client, body, payer);
    await untilStatus(client, id, "SUCCEEDED");
  });

  it("can be repeated, and does not prevent any other signer from paying", async () => {
    const intent = await create(client);
    await attach(intent.id, { payerAddress: newPayer().address });
    const second = newPayer();
    expect(
      (await attach(intent.id, { payerAddress: second.address })).body.data.typedData.message.payer,
    ).to.equal(second.address);
    await confirm(client, intent, newPayer());
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("reports which field of the body is invalid, and is rejected once the payment is in progress", async () => {
    const intent = await create(client);
    const payerAddress = newPayer().address;
    for (const [body, param] of [
      [{}, "payerAddress"],
      [{ payerAddress: "me" }, "payerAddress"],
      [{ payerAddress: `0x${"0".repeat(40)}` }, "payerAddress"],
      [{ payerAddress: 5 }, "payerAddress"],
      [{ payerAddress, more: 1 }, "more"],
    ] as const) {
      expectError(await attach(intent.id, body), 400, "invalid_request", param);
    }
    expect((await retrieve(client, intent.id)).status).to.equal("INITIATED");
    await confirm(client, intent);
    expectError(await attach(intent.id, { payerAddress }), 400, "invalid_state_transition");
    expectError(
      await attach(`intent_${"0".repeat(64)}`, { payerAddress }),
      404,
      "resource_missing",
      "intentId",
    );
  });
});
