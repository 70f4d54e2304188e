import { afterAll, beforeAll, it } from "bun:test";
import { join } from "node:path";
import { expect } from "chai";
import { asc, eq } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import type { Child } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";
import { until } from "#scripts/shared/wait.ts";
import { DEEP } from "#test/support/deep.ts";
import { type Payments, startPayments } from "./support/payments.ts";

/** Half of them in each currency. */
const ORDERS = DEEP ? 24 : 12;

let payments: Payments;
let second: Child;

beforeAll(async () => {
  payments = await startPayments();
  const { stack } = payments;
  const environment = { ...stack.environment, SETTLEMENT_PORT: String(await freePort()) };
  second = await startRoleProcess("settlement", environment, join(stack.logs, "settlement-2.log"));
  await roleProcessReady(second, environment);
});
afterAll(async () => {
  await second.stop();
  await payments.close();
});

it("two replicas, one of them killed twice on the way, settle and pay out every order once", async () => {
  const { database, stack, config, deployment } = payments;
  const before = {
    USDC: await payments.balance(deployment.tokens.USDC, config.offRamp),
    DAI: await payments.balance(deployment.tokens.DAI, config.offRamp),
  };
  const made = await Promise.all(
    Array.from({ length: ORDERS }, (_, i) => payments.addIntent({ currency: i % 2 ? "USDC" : "DAI" })),
  );
  for (const { terms } of made) await payments.fund(terms);
  await Promise.all(made.map(({ id }) => payments.reaches(id, "SUCCEEDED")));
  for (const { terms } of made) await payments.release(terms);

  const settleTransactions = () => database.$count(transaction, eq(transaction.purpose, "settle"));
  await until(async () => (await settleTransactions()) > 0, { what: "A settlement", timeoutMs: 20_000 });
  await stack.kill("settlement");
  await stack.restart("settlement");
  await until(async () => (await database.$count(payout)) > 0, { what: "A payout", timeoutMs: 20_000 });
  await stack.kill("settlement");
  await stack.restart("settlement");
  await Promise.all(made.map(({ id }) => payments.reaches(id, "SETTLED", 60_000)));

  const orders = await database.select().from(transactionOrder).where(eq(transactionOrder.purpose, "settle"));
  expect(orders.map((row) => row.orderId).sort()).to.deep.equal(made.map((one) => one.orderId).sort());
  const nonces = (await database.select().from(transaction).orderBy(asc(transaction.nonce))).map(
    (t) => t.nonce,
  );
  expect(nonces).to.deep.equal(nonces.map((_, i) => i));
  const payouts = await database.select().from(payout);
  expect(payouts).to.have.length(made.length);
  expect(payouts.every((row) => row.state === "completed" && row.attempt === 1)).to.equal(true);
  expect(await payments.transfers()).to.equal(made.length);
  const after = {
    USDC: await payments.balance(deployment.tokens.USDC, config.offRamp),
    DAI: await payments.balance(deployment.tokens.DAI, config.offRamp),
  };
  expect(after.USDC - before.USDC).to.equal(BigInt(ORDERS / 2) * 100_000_000n);
  expect(after.DAI - before.DAI).to.equal(BigInt(ORDERS / 2) * 100n * 10n ** 18n);
}, 120_000);
