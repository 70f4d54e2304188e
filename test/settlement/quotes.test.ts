// A provider whose quotes expire. A payout is quoted again until one quote is accepted, and never two.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { connect, type Database } from "#core/db/client.ts";
import { type QuoteProvider, startQuoteProvider } from "#scripts/provider/quotes.ts";
import { until } from "#scripts/shared/wait.ts";
import { type OffRamp, TransferDeclined, type TransferOrder } from "#settlement/off-ramp/off-ramp.ts";
import { catchError } from "#test/support/catch-error.ts";
import { testDatabase } from "#test/support/stack.ts";
import { bvnkTo } from "./support/bvnk.ts";
import { OFF_RAMP } from "./support/world.ts";

let database: Database;
let provider: QuoteProvider;
let offRamp: OffRamp;

beforeAll(async () => {
  database = connect(await testDatabase(), { application: "off-ramp" });
  provider = startQuoteProvider({ walletAddress: OFF_RAMP, minMs: 20, maxMs: 40 });
  offRamp = bvnkTo(database, provider, { timeoutMs: 500 });
});
beforeEach(() =>
  Object.assign(provider.faults, { down: false, losesAnswers: false, expires: 0, short: false }),
);
afterAll(() => Promise.all([database.$client.end(), provider.stop()]));

const wanted = (): TransferOrder => ({
  ...{ reference: randomUUID(), method: "OFF_RAMP_TO_BANK", wallet: "wallet_gateway", amount: 100_000_000n },
  ...{ currency: "USDC", destination: "bank_account_123", beneficiary: "Merchant" },
});

const isPaidOnce = ({ reference }: TransferOrder) =>
  until(async () => provider.paid().get(reference) === 1, { what: "The payment", timeoutMs: 5_000 });

describe("a quote", () => {
  it("that expires is requested again, and one quote is accepted", async () => {
    const order = wanted();
    provider.faults.expires = 2;
    expect(await offRamp.create(order)).to.include({ reference: order.reference, amount: 100_000_000n });
    expect(provider.quotesFor(order.reference)).to.equal(3);
    await isPaidOnce(order);
  });

  it("that expires again and again declines the call, and a later call pays once", async () => {
    const order = wanted();
    provider.faults.expires = 3;
    expect(await catchError(offRamp.create(order))).to.be.instanceOf(TransferDeclined);
    expect(await offRamp.lookUp(order.reference)).to.equal(undefined);
    expect((await offRamp.create({ ...order, call: 2 })).state).to.equal("pending");
    await isPaidOnce(order);
  });

  it("is not a transfer before it is accepted: with insufficient funds, the same quote is accepted later", async () => {
    const order = wanted();
    provider.faults.short = true;
    expect(await catchError(offRamp.create(order))).to.be.instanceOf(TransferDeclined);
    expect(await offRamp.lookUp(order.reference)).to.equal(undefined);
    provider.faults.short = false;
    await offRamp.create({ ...order, call: 2 });
    expect(provider.quotesFor(order.reference)).to.equal(1);
    await isPaidOnce(order);
  });

  it("is accepted once, whichever response was lost", async () => {
    const order = wanted();
    provider.faults.losesAnswers = true;
    for (let call = 0; call < 2; call++) {
      expect(await catchError(offRamp.create(order))).to.be.instanceOf(Error);
    }
    provider.faults.losesAnswers = false;
    await offRamp.create(order);
    expect(provider.quotesFor(order.reference)).to.equal(1);
    await isPaidOnce(order);
  });

  it("is accepted once by eight concurrent orders, while quotes expire", async () => {
    const order = wanted();
    provider.faults.expires = 2;
    await Promise.all(Array.from({ length: 8 }, () => offRamp.create(order)));
    await isPaidOnce(order);
  });

  it("that was accepted is canceled by a later request, although an earlier one was rejected", async () => {
    const slow = startQuoteProvider({ walletAddress: OFF_RAMP, minMs: 60_000, maxMs: 60_000 });
    try {
      const slowOffRamp = bvnkTo(database, slow);
      const { reference } = await slowOffRamp.create(wanted());
      slow.faults.refusesCancels = true;
      expect(await slowOffRamp.cancel(reference)).to.include({ state: "pending" });
      slow.faults.refusesCancels = false;
      for (let times = 0; times < 2; times++)
        expect(await slowOffRamp.cancel(reference)).to.include({ state: "failed", canceled: true });
    } finally {
      await slow.stop();
    }
  });

  it("proves nothing while the provider is down", async () => {
    provider.faults.down = true;
    expect(await catchError(offRamp.lookUp(randomUUID()))).to.be.instanceOf(Error);
  });
});
