// Every settlement method reaches the bank, in test mode the mock one (spec, "Payment intent"; design, "test mode").
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { SETTLEMENT_METHODS } from "#core/settlement-methods.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { fund, prove, untilStatus } from "./support/payments.ts";

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

describe("a payment settled by", () => {
  it.each(SETTLEMENT_METHODS)("%s is paid out, and shown so", async (settlementMethod) => {
    const { id } = await fund(client, { settlementMethod, autoRelease: true });
    expect((await prove(client, id)).status).to.equal(200);
    const { data } = await untilStatus(client, id, "SETTLED", "FINAL");
    expect(data).to.include({ settlementMethod, settlementStatus: "COMPLETED" });
  });
});
