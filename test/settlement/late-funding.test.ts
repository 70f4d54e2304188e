import { afterAll, beforeAll, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { RELEASE_TYPES, type Terms } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { transactionOrder } from "#core/db/schema/transactions.ts";
import { faucet } from "#scripts/devnet/deploy.ts";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { type Payments, paymentsOn } from "./support/payments.ts";

let payments: Payments<SharedStack>;

beforeAll(async () => {
  payments = await paymentsOn(await sharedStack());
});
afterAll(() => payments.close());

/** Withdraws the released funds as the payee. */
async function withdraw(terms: Terms): Promise<void> {
  const { control, deployment, stack } = payments;
  const hash = await control.writeContract({
    address: deployment.contract,
    abi: deliveryVsPaymentAbi,
    functionName: "withdraw",
    args: [terms],
    account: privateKeyToAccount(stack.merchants[0]?.privateKey ?? "0x"),
  });
  const { status } = await control.waitForTransactionReceipt({ hash });
  expect(status).to.equal("success");
}

it("funding of a canceled payment is refunded to the payer once and emits an event", async () => {
  const { database, deployment, payer, stack } = payments;
  const { id, orderId, terms } = await payments.addIntent({ canceledAt: new Date() });
  await faucet(stack.rpcUrl, deployment.tokens.USDC, payer.address, terms.amount);
  await payments.reaches(id, "CANCELED");
  const before = await payments.balance(deployment.tokens.USDC, payer.address);
  await payments.fund(terms);
  await until(
    async () => {
      const [order] = await database.select().from(chain.order).where(eq(chain.order.id, orderId));
      return order?.status === 5;
    },
    { what: "refund of the order", timeoutMs: 30_000 },
  );
  expect(await payments.balance(deployment.tokens.USDC, payer.address)).to.equal(before);
  expect(await payments.eventsOf(id)).to.deep.equal(["canceled", "late_funding"]);
  expect(await payments.statusOf(id)).to.equal("CANCELED");
  const refunds = await database.select().from(transactionOrder).where(eq(transactionOrder.orderId, orderId));
  expect(refunds.map((row) => row.purpose)).to.deep.equal(["refund"]);
  expect(await payments.payoutsOf(id)).to.deep.equal([]);
}, 60_000);

it("late funding that is released immediately is not refunded or paid out: an event reports it, and the payee can withdraw it", async () => {
  const { database, deployment } = payments;
  const IMMEDIATE = RELEASE_TYPES.indexOf("IMMEDIATE");
  const { id, orderId, terms } = await payments.addIntent(
    { canceledAt: new Date(), type: "CONDITIONAL" },
    { releaseType: IMMEDIATE, autoReleaseOnProof: false },
  );
  await payments.reaches(id, "CANCELED");
  await payments.fund(terms);
  await until(async () => (await payments.eventsOf(id)).includes("late_funding"), {
    what: "the late_funding event",
    timeoutMs: 30_000,
  });
  expect(await payments.eventsOf(id)).to.deep.equal(["canceled", "late_funding"]);
  expect(await payments.statusOf(id)).to.equal("CANCELED");
  const sent = await database.select().from(transactionOrder).where(eq(transactionOrder.orderId, orderId));
  expect(sent).to.deep.equal([]);
  expect(await payments.payoutsOf(id)).to.deep.equal([]);

  const before = await payments.balance(deployment.tokens.USDC, terms.payee);
  await withdraw(terms);
  expect(await payments.balance(deployment.tokens.USDC, terms.payee)).to.equal(before + terms.amount);
}, 60_000);

it("an order whose funds the payee withdraws has no payout and becomes SETTLED", async () => {
  // This gateway does not settle another operator's orders, which gives the payee time to withdraw.
  const { id, terms } = await payments.addIntent({}, { operator: payments.payer.address });
  await payments.fund(terms);
  await payments.release(terms);
  await withdraw(terms);
  // A busy machine may index all blocks at once. The intent is then FINAL immediately, so the test waits for the event.
  await until(async () => (await payments.eventsOf(id)).includes("settled"), {
    what: "the settled event",
    timeoutMs: 30_000,
  });
  expect(await payments.payoutsOf(id)).to.deep.equal([]);
}, 60_000);
