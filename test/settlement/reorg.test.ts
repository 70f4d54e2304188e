import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { transaction } from "#core/db/schema/transactions.ts";
import { until } from "#scripts/shared/wait.ts";
import { type Payments, startPayments } from "./support/payments.ts";

let payments: Payments;

beforeAll(async () => {
  payments = await startPayments();
});
afterAll(() => payments.close());

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
    const { control, database } = payments;
    const { id, terms } = await payments.addIntent();
    await payments.fund(terms);
    await payments.reaches(id, "SUCCEEDED");
    const before = await payments.transfers();
    await payments.standStill();
    await payments.release(terms);
    const snapshot = await control.snapshot();
    const settled = () => database.$count(transaction, eq(transaction.state, "mined"));
    await until(async () => (await settled()) > 0, { what: "The settlement in a block", timeoutMs: 20_000 });
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
