// Settlement is interrupted: a replica is killed, the database closes its connections, or the chain drops blocks. Every
// order is still settled and paid out once. The tests share a gateway, and the first test requires a new one.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { join } from "node:path";
import { expect } from "chai";
import { and, asc, eq, sql } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import type { OrderId } from "#core/ids.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";
import { until } from "#scripts/shared/wait.ts";
import { DEEP } from "#test/support/deep.ts";
import { type Payments, startPayments } from "./support/payments.ts";

/** Number of orders, half of them in each currency. */
const ORDERS = DEEP ? 24 : 12;

let payments: Payments;

beforeAll(async () => {
  payments = await startPayments();
});
afterAll(() => payments?.close());

/** Runs the work with a second replica of the settlement role. */
async function withReplica(work: () => Promise<void>): Promise<void> {
  const { stack } = payments;
  const environment = { ...stack.environment, SETTLEMENT_PORT: String(await freePort()) };
  const second = await startRoleProcess("settlement", environment, join(stack.logs, "settlement-2.log"));
  try {
    await roleProcessReady(second, environment);
    await work();
  } finally {
    await second.stop();
  }
}

it.skipIf(!DEEP)(
  "two replicas, one of them killed twice on the way, settle and pay out every order once",
  async () => {
    await withReplica(async () => {
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

      const orders = await database
        .select()
        .from(transactionOrder)
        .where(eq(transactionOrder.purpose, "settle"));
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
    });
  },
  120_000,
);

it("settlement continues in the same process after the database has closed all of its connections", async () => {
  const { database } = payments;
  const { id, terms } = await payments.addIntent();
  await payments.fund(terms);
  await payments.reaches(id, "SUCCEEDED");
  const before = await payments.transfers();
  const { rows } = await database.execute<{ name: string }>(sql`
    select application_name as name, pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name ~ '^(settlement|mock-bank)'`);
  const ended = new Set(rows.map((row) => row.name));
  expect([...ended]).to.include.members(["settlement", "settlement-jobs", "settlement-listener"]);
  await payments.release(terms);
  await payments.reaches(id, "SETTLED", 60_000);
  expect((await payments.transfers()) - before).to.equal(1);
}, 90_000);

describe("a reorg", () => {
  it("removes a confirmed payment, which proceeds again when it is mined again", async () => {
    const { control } = payments;
    const { id, terms } = await payments.addIntent();
    const snapshot = await control.snapshot();
    await payments.fund(terms);
    await payments.reaches(id, "SUCCEEDED");
    await payments.standStill();
    await payments.goBackTo(snapshot);
    await payments.reaches(id, "INITIATED");
    await payments.fund(terms);
    await payments.reaches(id, "SUCCEEDED");
    expect(await payments.eventsOf(id)).to.deep.equal([
      "processing",
      "succeeded",
      "reverted",
      "processing",
      "succeeded",
    ]);
  }, 90_000);

  it("that drops the settlement delays the payout without doubling it", async () => {
    const { control } = payments;
    const { id, orderId, terms } = await payments.addIntent();
    await payments.fund(terms);
    await payments.reaches(id, "SUCCEEDED");
    const before = await payments.transfers();
    await payments.standStill();
    await payments.release(terms);
    const snapshot = await control.snapshot();
    await until(() => isMined(orderId), { what: "The settlement in a block", timeoutMs: 20_000 });
    await payments.standStill();
    await payments.goBackTo(snapshot);
    await payments.reaches(id, "SETTLED", 60_000);
    const payouts = await payments.payoutsOf(id);
    expect(payouts.map((row) => row.state)).to.deep.equal(["completed"]);
    expect((await payments.transfers()) - before).to.equal(1);
    const { status } = await control.getTransactionReceipt({ hash: payouts[0]?.settlementTxHash ?? "0x" });
    expect(status).to.equal("success");
  }, 120_000);
});

async function isMined(orderId: OrderId): Promise<boolean> {
  const rows = await payments.database
    .select({ id: transaction.id })
    .from(transaction)
    .innerJoin(transactionOrder, eq(transactionOrder.transactionId, transaction.id))
    .where(and(eq(transactionOrder.orderId, orderId), eq(transaction.state, "mined")));
  return rows.length > 0;
}
