import { afterAll, beforeAll, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { transactionOrder } from "#core/db/schema.ts";
import { until } from "#scripts/local/wait.ts";
import { type Payments, startPayments } from "./support/payments.ts";

let payments: Payments;

beforeAll(async () => {
  payments = await startPayments();
});
afterAll(() => payments.close());

it("money that arrives for a canceled payment goes back to its payer, once, and is told", async () => {
  const { database, deployment, payer } = payments;
  const { id, orderId, terms } = await payments.addIntent({ canceledAt: new Date() });
  await payments.reaches(id, "CANCELED");
  const before = await payments.balance(deployment.tokens.USDC, payer.address);
  await payments.fund(terms);
  expect(await payments.balance(deployment.tokens.USDC, payer.address)).to.equal(before - terms.amount);
  await until(
    async () => {
      const [order] = await database.select().from(chain.order).where(eq(chain.order.id, orderId));
      return order?.status === 5;
    },
    { what: "The order refunded", timeoutMs: 30_000 },
  );
  expect(await payments.balance(deployment.tokens.USDC, payer.address)).to.equal(before);
  expect(await payments.eventsOf(id)).to.deep.equal(["canceled", "late_funding"]);
  expect(await payments.statusOf(id)).to.equal("CANCELED");
  const refunds = await database.select().from(transactionOrder).where(eq(transactionOrder.orderId, orderId));
  expect(refunds.map((row) => row.purpose)).to.deep.equal(["refund"]);
  expect(await payments.payoutsOf(id)).to.deep.equal([]);
}, 60_000);
