// The actually delivered payout (D8): its amount, currency, rate, fee and gas, in the ledger, the reconciliation, the
// events and the balance.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import { showSettlement } from "#api/settlements/schemas.ts";
import { event } from "#core/db/schema/events.ts";
import { ledgerBalance } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { Delivered } from "#core/off-ramp/fiat.ts";
import { recordUnreported } from "#settlement/events/observe.ts";
import type { Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { compareBalances } from "#settlement/reconciliation/check-balances.ts";
import { comparePayments } from "#settlement/reconciliation/check-payments.ts";
import { gullibleBank, openBook } from "#test/settlement/support/gullible-bank.ts";
import { type Books, openBooks } from "./support/books.ts";

let books: Books;
let merchantId: string;
/** The provider's response to a look-up of a transfer. */
let report: Partial<Transfer> & { delivered?: Delivered };

beforeAll(async () => {
  books = await openBooks({
    offRamps: (database) => {
      const bank = {
        ...gullibleBank(database),
        async lookUp(reference: string) {
          const known = await gullibleBank(database).lookUp(reference);
          return known && { ...known, ...report };
        },
      };
      return () => bank;
    },
  });
  await openBook(books.database);
  merchantId = await books.begin();
  books.context.config.conversion.rates = { USD: "1", EUR: "0.92" };
});
afterAll(() => books.close());

async function paid(reported: typeof report) {
  report = {};
  const made = await books.settled(10);
  await books.head(14);
  const id = await books.payOut(made, "created", { account: null });
  const pay = createPayoutHandler(books.context, () => undefined);
  await pay([id]);
  await hears(id, reported);
  return { ...made, payoutId: id };
}

async function hears(id: string, reported: typeof report): Promise<void> {
  report = reported;
  await books.database.update(payout).set({ nextAttemptAt: sql`clock_timestamp()` }).where(eq(payout.id, id));
  await createPayoutHandler(books.context, () => undefined)([id]);
  await books.post();
}

const EUROS = {
  ...{ fee: 350_000n, gas: 100_000n, rate: "0.9215" },
  delivered: { amount: 9_182n, currency: "EUR" },
};

const fiat = async () =>
  books.database
    .select({ account: ledgerBalance.account, amount: ledgerBalance.amount })
    .from(ledgerBalance)
    .where(and(eq(ledgerBalance.merchantId, merchantId), eq(ledgerBalance.currency, "EUR")))
    .orderBy(ledgerBalance.account);

describe("a provider's report of a completed transfer (D8)", () => {
  it("is posted: fee, gas, and the delivered amount in its own currency, balanced in each", async () => {
    const made = await paid(EUROS);
    expect(await books.postings(made.id)).to.have.members([
      ...["funded 100000000", "settled 100000000", "paid 99650000", "fee 250000", "gas 100000"],
      "delivered 9182",
    ]);
    expect(await fiat()).to.deep.equal([
      { account: "converted", amount: -9_182n },
      { account: "delivered", amount: 9_182n },
    ]);
    expect(await compareBalances(books.context, merchantId)).to.deep.equal([]);
    expect(await comparePayments(books.context, [made.id])).to.deep.equal([]);
  });

  it("is shown in events and settlements", async () => {
    const made = await paid(EUROS);
    const shown = {
      fee: "0.35",
      gas: "0.10",
      deliveredAmount: "91.82",
      deliveredCurrency: "EUR",
      rate: "0.9215",
    };
    const [row] = await books.database.select().from(payout).where(eq(payout.id, made.payoutId));
    if (!row) throw new Error("The payout is missing.");
    expect(showSettlement(row)).to.include(shown);
    await recordUnreported(books.context, await books.context.reader.findAll([made.id]));
    const [emitted] = await books.database
      .select({ data: event.data })
      .from(event)
      .where(and(eq(event.intentId, made.id), eq(event.type, "payout.completed")));
    expect(emitted?.data.object).to.include(shown);
  });

  it("is posted again when it is corrected, and reversed when the payout is returned", async () => {
    const before = (await fiat()).at(-1)?.amount ?? 0n;
    const made = await paid({ ...EUROS, delivered: { amount: 9_100n, currency: "EUR" } });
    await hears(made.payoutId, EUROS);
    expect((await fiat()).at(-1)?.amount).to.equal(before + 9_182n);
    await hears(made.payoutId, { ...EUROS, state: "returned", failure: "account closed" });
    expect((await fiat()).at(-1)?.amount).to.equal(before);
    expect(await compareBalances(books.context, merchantId)).to.deep.equal([]);
  });
});

describe("a conversion is reported as a difference", () => {
  const differences = async (reported: typeof report) => {
    const made = await paid(reported);
    return (await comparePayments(books.context, [made.id])).map(({ kind, says }) => `${kind}: ${says}`);
  };

  it("if it is outside the tolerance of the configured rate", async () => {
    const [line, ...more] = await differences({ delivered: { amount: 9_000n, currency: "EUR" } });
    expect(more).to.deep.equal([]);
    expect(line).to.match(
      /^conversion: Payout .*: 100\.00 USDC was sold and 90\.00 EUR arrived, but at the configured rate 0\.92/,
    );
    expect(await differences({ delivered: { amount: 9_908n, currency: "USD" } })).to.deep.equal([]);
    expect(await differences({ delivered: { amount: 9_898n, currency: "USD" } })).to.have.length(1);
  });

  it("if it contradicts the provider's own rate, in a currency without a configured rate", async () => {
    const pesos = { amount: 180_000n, currency: "MXN" };
    expect(await differences({ delivered: pesos })).to.deep.equal([]);
    expect(await differences({ delivered: pesos, rate: "18" })).to.deep.equal([]);
    const [line] = await differences({ delivered: pesos, rate: "19" });
    expect(line).to.include("at the reported rate 19 it should be 1900.00 MXN");
  });

  it("separately in each currency, even with the same numbers", async () => {
    const identify = async (currency: string) => {
      const made = await paid({ delivered: { amount: 180_000n, currency }, rate: "19" });
      return (await comparePayments(books.context, [made.id])).map(({ identity }) => identity);
    };
    const [pesos, other] = [await identify("MXN"), await identify("BRL")];
    expect([pesos, other].map(({ length }) => length)).to.deep.equal([1, 1]);
    expect(pesos).not.to.deep.equal(other);
  });
});
