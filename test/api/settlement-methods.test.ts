// Every settlement method reaches the bank. In test mode this is the mock bank (spec, "Payment intent").
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import { DEEP } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody } from "./support/client.ts";
import { post } from "./support/escrow.ts";
import { create, fund, GOOD, newPayer, prove, untilStatus } from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

describe("a payment settled by", () => {
  it.each(DEEP ? SETTLEMENT_METHODS : (["OFF_RAMP_TO_BANK"] as const))(
    "%s is paid out and shown as such",
    async (settlementMethod) => {
      const { id } = await fund(client, { settlementMethod, autoRelease: true });
      expect((await prove(client, id)).status).to.equal(200);
      const { data } = await untilStatus(client, id, "SETTLED", "FINAL");
      expect(data).to.include({ settlementMethod, settlementStatus: "COMPLETED" });
    },
  );
});

describe("an amount that the method does not support", () => {
  const BANK = ["OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"] as const;
  const LOCKED = { metadata: { releaseType: "MILESTONE_LOCKED" } };
  const plan = (id: string, milestoneIndex: number, amount: string) =>
    post<ErrorBody>(client, id, "escrow/milestones", { milestoneIndex, amount });

  it.each([
    ["USDC", "0.000001"],
    ["USDC", "0.99"],
    ["USDT", "1.001"],
    ["DAI", "1.000000000000000001"],
  ])(
    "is rejected when a payment is created: %s %s, naming the minimum and the step",
    async (currency, amount) => {
      for (const settlementMethod of BANK) {
        const body = { ...GOOD, currency, amount, settlementMethod };
        const refused = await client.post<ErrorBody>("/payment-intents", body);
        expectError(refused, 400, "invalid_request", "amount");
        expect(refused.body.error.message).to.include(`at least 1.00 ${currency}, in steps of 0.01`);
      }
      expect((await client.post("/payment-intents", { ...GOOD, currency, amount })).status).to.equal(200);
    },
  );

  it("is rejected as a milestone, and so is a milestone that would leave it as the remainder", async () => {
    const { id } = await create(client, { ...LOCKED, settlementMethod: "OFF_RAMP_TO_BANK", amount: "10.00" });
    for (const amount of ["0.99", "5.001", "9.50"]) {
      const refused = await plan(id, 0, amount);
      expectError(refused, 400, "invalid_request", "amount");
      expect(refused.body.error.message).to.include("at least 1.00 USDC, in steps of 0.01");
    }
    expect((await plan(id, 0, "9.00")).status).to.equal(200);
    expect((await plan(id, 1, "1.00")).status).to.equal(200);
    const mock = await create(client, { ...LOCKED, amount: "10.00" });
    expect((await plan(mock.id, 0, "9.999999")).status).to.equal(200);
  });

  it("is rejected as the merchant's part of a dispute", async () => {
    const payer = newPayer();
    const { id } = await fund(client, { settlementMethod: "OFF_RAMP_TO_BANK", amount: "10.00" }, payer);
    const dispute = { reason: "Nothing came.", raisedBy: payer.address };
    expect((await post(client, id, "escrow/dispute", dispute)).status).to.equal(200);
    const resolve = (merchantAmount: string) =>
      post(client, id, "escrow/dispute/resolve", { outcome: "PARTIAL_REFUND", merchantAmount });
    for (const amount of ["0.99", "3.333333"]) {
      expectError(await resolve(amount), 400, "invalid_request", "merchantAmount");
    }
    expect((await resolve("3.33")).status).to.equal(200);
    await untilStatus(client, id, "SETTLED", "FINAL");
  });
});
