// Every payout state has an exit through `npm run ops`, and no exit pays twice: operators decide only while the
// provider has no open transfer.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, desc, eq } from "drizzle-orm";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { operation } from "#core/db/schema/operations.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import { formatAmount } from "#core/money.ts";
import { approve, ask, refuseOperation, waitingOperations } from "#scripts/cli/ops/approve.ts";
import { refreshPayout, retryPayouts } from "#scripts/cli/ops/changes.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { changeAccount, listAccounts } from "#scripts/cli/ops/off-ramp-accounts.ts";
import { recordUnreported } from "#settlement/events/observe.ts";
import type { OffRamp, Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { writeControl } from "#settlement/payouts/read-controls.ts";
import { type Books, openBooksWith } from "#test/ledger/support/books.ts";
import { gullibleBank, paidTimes } from "#test/settlement/support/gullible-bank.ts";

/** The provider's response about a payout: none, unknown transfer, or the transfer's state. */
type Word = "silent" | "absent" | "otherwise" | Transfer["state"];

let books: Books;
let word: Word;
let orders = 0;

const bank = (database: Books["database"]): OffRamp => ({
  ...gullibleBank(database),
  lookUpAfterMs: 0,
  async create(order) {
    orders++;
    return gullibleBank(database).create(order);
  },
  async lookUp(reference) {
    if (word === "silent") throw new Error("503");
    if (word === "absent") return gullibleBank(database).lookUp(reference);
    const state = word === "otherwise" ? "completed" : word;
    const amount = word === "otherwise" ? 40_000_000n : 100_000_000n;
    return {
      ...{ providerId: "transfer_1", reference, amount, fee: 0n, currency: "USDC", state },
      ...{ createdAt: new Date(), completedAt: null, failure: null, nextPollAt: null },
    };
  },
});

beforeAll(async () => {
  books = await openBooksWith(bank);
});
afterAll(() => books.close());

const parts = () => ({
  database: books.database,
  offRamps: async () => books.context.offRamps,
  feeBearer: "merchant" as const,
  chain: async () => books.context,
});

/** Returns what a worker has recorded about the funds of a payout in this state. */
const fundsIn = (state: PayoutState, account: string | null) => ({
  allocated: account !== null && (state === "created" || state === "quarantined"),
  awaitsFunds: state === "submitted",
});

async function payoutIn(state: PayoutState, account: string | null = "gullible") {
  const made = await books.settled(10);
  const payoutId = await books.payOut(made, state, {
    ...{ account, providerId: state === "submitted" ? "transfer_1" : null },
    ...fundsIn(state, account),
    nextAttemptAt: state === "failed" || state === "returned" ? null : new Date(Date.now() + 3_600_000),
  });
  return { ...made, payoutId };
}

type Made = Awaited<ReturnType<typeof payoutIn>>;

const today = () => new Date().toISOString().slice(0, 10);
const payment = (amount = "100.00") => ({ reference: "SEPA 2026-17", amount, date: today() });

const settle = ({ payoutId }: Pick<Made, "payoutId">, by = "Ada", given = payment()) =>
  ask(parts(), CONTROLLED, "settle-externally", { subject: payoutId, arguments: given, by });
const fail = ({ payoutId }: Pick<Made, "payoutId">, by = "Ada") =>
  ask(parts(), CONTROLLED, "fail", { subject: payoutId, arguments: {}, by });

const reasonFor = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

const latestOf = async ({ id }: Pick<Made, "id">) => {
  const [row] = await books.database
    .select()
    .from(payout)
    .where(eq(payout.intentId, id))
    .orderBy(desc(payout.attempt))
    .limit(1);
  return row;
};

const confirmDebit = ({ payoutId }: Pick<Made, "payoutId">, reference = "0x17") =>
  ask(parts(), CONTROLLED, "confirm-debit", { subject: payoutId, arguments: { reference }, by: "Ada" });

type Exit = "settle-externally" | "fail" | "retry" | "confirm-debit";
/**
 * The commands that end each situation. An empty list means that the provider has paid or may still pay, and decides on
 * its own.
 */
const EXITS: Record<PayoutState, Partial<Record<Word | "uncalled", Exit[]>>> = {
  created: {
    ...{ uncalled: ["settle-externally", "fail"], absent: ["settle-externally", "fail"] },
    ...{ silent: [], pending: [], completed: [], failed: ["settle-externally", "fail"] },
  },
  quarantined: {
    ...{ absent: ["settle-externally", "fail"], otherwise: ["settle-externally"], silent: [], pending: [] },
    ...{ completed: [], failed: ["settle-externally", "fail"], returned: ["settle-externally", "fail"] },
  },
  submitted: {
    ...{ absent: ["settle-externally", "fail"], pending: ["confirm-debit"], completed: [] },
    ...{ failed: ["settle-externally", "fail"], silent: [] },
  },
  completed: { completed: [], absent: [] },
  failed: { failed: ["settle-externally", "retry"], absent: ["settle-externally", "retry"] },
  returned: { returned: ["settle-externally", "retry"], completed: ["retry"] },
};

const leave: Record<Exit, (made: Made) => Promise<unknown>> = {
  "settle-externally": settle,
  fail,
  retry: ({ id }) => retryPayouts(books.database, id, "merchant", "Ada"),
  "confirm-debit": (made) => confirmDebit(made),
};

describe("a payout leaves its state through ops, or through its provider", () => {
  for (const [state, words] of Object.entries(EXITS)) {
    for (const [said, exits] of Object.entries(words)) {
      it(`${state}, ${said}: ${exits.join(" or ") || "it is not paid a second time"}`, async () => {
        word = said === "uncalled" ? "absent" : (said as Word);
        const made = await payoutIn(state as PayoutState, said === "uncalled" ? null : "gullible");
        for (const [exit, run] of Object.entries(leave)) {
          if (!exits.includes(exit as Exit)) expect(await reasonFor(run(made)), exit).not.to.equal("");
        }
        const [held] = await books.database.select().from(payout).where(eq(payout.id, made.payoutId));
        expect(held).to.include({ state, leasedUntil: null });
        for (const exit of exits) {
          const other = await payoutIn(state as PayoutState, said === "uncalled" ? null : "gullible");
          expect(await reasonFor(leave[exit](other)), exit).to.equal("");
          // What the provider reports of the transfer is stored, because the merchant's retry depends on it.
          const failed = word === "returned" ? "returned" : "failed";
          const states = { "settle-externally": "completed", fail: failed, retry: "created" } as const;
          expect((await latestOf(other))?.state).to.equal(exit === "confirm-debit" ? state : states[exit]);
          const [left] = await books.database.select().from(payout).where(eq(payout.id, other.payoutId));
          expect(left).to.include({ allocated: false, awaitsFunds: false });
          // A transfer proves that the provider received a call, even if its record is lost.
          if (exit === "fail")
            expect(left?.calledAt !== null).to.equal(["failed", "returned"].includes(word));
        }
      });
    }
  }
});

describe("a payout that was paid by hand", () => {
  it("is shown, posted and never retried (D6)", async () => {
    word = "absent";
    const made = await payoutIn("failed");
    await settle(made);
    const row = await latestOf(made);
    expect(row).to.include({ attempt: 2, externalReference: "SEPA 2026-17", nextAttemptAt: null });
    await books.post();
    expect(await books.postings(made.id)).to.include("paid_externally 100000000");
    expect((await books.context.reader.find(made.id))?.status).to.match(/^(SETTLED|FINAL)$/);
    expect(await reasonFor(retryPayouts(books.database, made.id, "merchant", "Ada"))).to.include("No payout");
    expect(await reasonFor(settle({ payoutId: row?.id ?? "" }))).to.include("nothing is owed");
    const before = orders;
    await createPayoutHandler(books.context, () => undefined)([row?.id ?? "", made.payoutId]);
    expect(orders).to.equal(before);
    await recordUnreported(books.context, await books.context.reader.findAll([made.id]));
    const [emitted] = await books.database
      .select({ data: event.data })
      .from(event)
      .where(and(eq(event.intentId, made.id), eq(event.type, "payout.completed")));
    expect(emitted?.data.object).to.include({ settledExternally: true, status: "completed" });
  });

  it("must have been paid in the exact amount, on a day after its settlement, under a reference", async () => {
    word = "absent";
    const made = await payoutIn("failed");
    const refused = async (given: Partial<ReturnType<typeof payment>>) =>
      reasonFor(settle(made, "Ada", { ...payment(), ...given }));
    expect(await refused({ amount: "99.99" })).to.include("owes 100.00 USDC");
    expect(await refused({ date: "2020-01-01" })).to.include("--date must not be");
    expect(await refused({ date: "2999-01-01" })).to.include("--date must not be");
    expect(await refused({ date: "yesterday" })).to.include("--date must be a date such as");
    expect(await refused({ reference: " " })).to.include("--reference");
  });

  it("is closed with a zero amount if the return fees equal its amount, and a retry reports this (D6)", async () => {
    word = "returned";
    const made = await payoutIn("returned");
    await books.database.update(payout).set({ fee: 100_000_000n }).where(eq(payout.id, made.payoutId));
    expect(await reasonFor(retryPayouts(books.database, made.id, "merchant", "Ada"))).to.include(
      "settle-externally",
    );
    expect(await reasonFor(settle(made))).to.include("owes 0.00 USDC");
    await settle(made, "Ada", payment("0.00"));
    expect(await latestOf(made)).to.include({ state: "completed", amount: 0n, deducted: 100_000_000n });
    await books.post();
    expect(await books.postings(made.id)).to.include("fee 100000000");
    expect((await books.context.reader.find(made.id))?.status).to.match(/^(SETTLED|FINAL)$/);
    expect(await reasonFor(settle(await payoutIn("failed"), "Ada", payment("0.00")))).to.include(
      "owes 100.00 USDC",
    );
  });

  it("is closed with a zero amount if the return fee exceeds its amount, and the excess is the gateway's loss", async () => {
    word = "returned";
    const made = await payoutIn("returned");
    await books.database.update(payout).set({ fee: 120_000_000n }).where(eq(payout.id, made.payoutId));
    expect(await reasonFor(retryPayouts(books.database, made.id, "merchant", "Ada"))).to.include(
      "--amount 0.00",
    );
    expect(await reasonFor(settle(made))).to.include("owes 0.00 USDC");
    await settle(made, "Ada", payment("0.00"));
    expect(await latestOf(made)).to.include({ state: "completed", amount: 0n, deducted: 100_000_000n });
    await books.post();
    expect(await books.postings(made.id)).to.include.members(["fee 120000000", "lost 20000000"]);
    expect((await books.context.reader.find(made.id))?.status).to.match(/^(SETTLED|FINAL)$/);
  });

  it("is queried once by `refresh` after its return, and a retry in the meantime does not need the response", async () => {
    word = "returned";
    const made = await payoutIn("returned");
    const row = async () =>
      (await books.database.select().from(payout).where(eq(payout.id, made.payoutId)))[0];
    await books.database.update(payout).set({ fee: 120_000_000n }).where(eq(payout.id, made.payoutId));
    await refreshPayout(books.database, made.payoutId, "Ada");
    await createPayoutHandler(books.context, () => undefined)([made.payoutId]);
    expect(await row()).to.include({ state: "returned", fee: 0n, nextAttemptAt: null });
    await refreshPayout(books.database, made.payoutId, "Ada");
    await retryPayouts(books.database, made.id, "merchant", "Ada");
    expect(await row()).to.include({ retried: true, nextAttemptAt: null, leasedUntil: null });
    expect(await latestOf(made)).to.include({ state: "created", amount: 100_000_000n });
    expect(await reasonFor(refreshPayout(books.database, made.payoutId, "Ada"))).to.include(
      "Nothing is left",
    );
  });

  it("cannot be resolved by hand while a worker calls the provider for it, and is not ordered in the meantime", async () => {
    word = "absent";
    const made = await payoutIn("quarantined");
    await books.database
      .update(payout)
      .set({ leasedUntil: new Date(Date.now() + 5_000) })
      .where(eq(payout.id, made.payoutId));
    expect(await reasonFor(settle(made))).to.include("A worker is processing");
    await books.database
      .update(payout)
      .set({ leasedUntil: null, nextAttemptAt: new Date() })
      .where(eq(payout.id, made.payoutId));
    const pay = createPayoutHandler(books.context, () => undefined);
    const before = orders;
    const slow = bank(books.database);
    const { offRamps } = books.context;
    const meanwhile: OffRamp = {
      ...slow,
      async lookUp(reference) {
        await pay([made.payoutId]);
        return slow.lookUp(reference);
      },
    };
    books.context.offRamps = () => meanwhile;
    await settle(made);
    books.context.offRamps = offRamps;
    expect(orders).to.equal(before);
    expect((await paidTimes(books.database)).size).to.equal(0);
  });
});

describe("a command that moves more than the limit", () => {
  it("waits for a second, different named person, and is in the audit log", async () => {
    word = "absent";
    const { database } = books;
    await writeControl(database, "approval", "99", "Ada");
    const made = await payoutIn("failed");
    const { operation: id, waits } = await settle(made);
    expect(waits).to.equal(true);
    expect((await latestOf(made))?.state).to.equal("failed");
    expect(await reasonFor(retryPayouts(database, made.id, "merchant", "Ada"))).to.include(
      "ops -- operations",
    );
    expect(await reasonFor(approve(parts(), CONTROLLED, id, " ada "))).to.include("another person");
    await approve(parts(), CONTROLLED, id, "Grace");
    expect(await latestOf(made)).to.include({ state: "completed", externalReference: "SEPA 2026-17" });
    expect(await reasonFor(approve(parts(), CONTROLLED, id, "Grace"))).to.include("No operation");
    const [row] = await database.select().from(operation).where(eq(operation.id, id));
    expect(row).to.include({ requestedBy: "Ada", decidedBy: "Grace", outcome: "done", amount: 100_000_000n });
    const entries = await database
      .select({ actor: auditLog.actor, action: auditLog.action })
      .from(auditLog)
      .where(eq(auditLog.resourceId, String(id)))
      .orderBy(auditLog.position);
    expect(entries).to.deep.equal([
      { actor: "Ada", action: "operation.requested" },
      { actor: "Grace", action: "operation.approved" },
    ]);
    await writeControl(database, "approval", undefined, "Ada");
  });

  it("waits with the evidence of a debit, which the audit log keeps", async () => {
    const { database } = books;
    word = "pending";
    await writeControl(database, "approval", "99", "Ada");
    const made = await payoutIn("submitted");
    expect(await reasonFor(confirmDebit(made, " "))).to.include("--reference must be the transaction");
    const { operation: id, waits } = await confirmDebit(made, "0x17");
    expect(waits).to.equal(true);
    expect(await latestOf(made)).to.include({ awaitsFunds: true });
    const waiting = (await waitingOperations(database)).find((row) => row.id === id);
    expect(waiting?.arguments).to.include({ reference: "0x17", transfer: "transfer_1" });
    expect(await reasonFor(approve(parts(), CONTROLLED, id, " ada "))).to.include("another person");
    await approve(parts(), CONTROLLED, id, "Grace");
    expect(await latestOf(made)).to.include({ state: "submitted", awaitsFunds: false });
    const [entry] = await database
      .select({ actor: auditLog.actor, changes: auditLog.changes })
      .from(auditLog)
      .where(and(eq(auditLog.resourceId, made.payoutId), eq(auditLog.action, "payout.confirm_debit")));
    expect(entry).to.deep.equal({ actor: "Ada", changes: { debitReference: { from: null, to: "0x17" } } });
    await writeControl(database, "approval", undefined, "Ada");
  });

  it("waits as well if it changes an account, regardless of the amount known to go there, or moves a payout", async () => {
    const { database } = books;
    await database.insert(offRampWallet).values({
      ...{ account: "another", address: "0x90F79bf6EB2c4f870365E785982E1f101E93b906", walletId: "wallet_2" },
      settings: "confirmed",
    });
    await changeAccount(database, "another", "draining", { by: "Ada", reason: "a drill" });
    const activate = { subject: "another", arguments: { reason: "it is over" }, by: "Ada" };
    const asked = await ask(parts(), CONTROLLED, "activate-account", activate);
    expect(asked.waits).to.equal(true);
    const state = async () =>
      (await listAccounts(database)).find(({ account }) => account === "another")?.state;
    expect(await state()).to.equal("draining");
    await approve(parts(), CONTROLLED, asked.operation, "Grace");
    expect(await state()).to.equal("active");
    const { payoutId } = await payoutIn("created", null);
    const move = { subject: payoutId, arguments: { account: "another" }, by: "Ada" };
    await writeControl(database, "approval", "99", "Ada");
    const moved = await ask(parts(), CONTROLLED, "move-payout", move);
    expect(moved.waits).to.equal(true);
    await approve(parts(), CONTROLLED, moved.operation, "Grace");
    const [row] = await database.select().from(payout).where(eq(payout.id, payoutId));
    expect(row).to.include({ account: "another", wallet: "wallet_2" });
  });

  it("that could not be carried out is rejected immediately instead of waiting", async () => {
    const { database } = books;
    const before = await waitingOperations(database);
    const refusal = (action: string, subject: string, more: Record<string, string> = {}) =>
      reasonFor(ask(parts(), CONTROLLED, action, { subject, arguments: more, by: "Ada" }));
    expect(await refusal("remove-account", "nowhere")).to.include("No such account: 'nowhere'");
    expect(await refusal("remove-account", "another")).to.include("Drain the account");
    expect(await refusal("activate-account", "another")).to.include("is already active");
    const { payoutId } = await payoutIn("submitted");
    expect(await refusal("move-payout", payoutId, { account: "another" })).to.include(
      "may have been ordered",
    );
    expect(await refusal("move-payout", payoutId, { account: "nowhere" })).to.include(
      "No such account: 'nowhere'",
    );
    expect(await refusal("move-payout", "payout_1", { account: "another" })).to.include(
      "No such payout: 'payout_1'",
    );
    expect(await waitingOperations(database)).to.deep.equal(before);
  });

  it("is checked again upon approval, and may be rejected", async () => {
    word = "absent";
    await writeControl(books.database, "approval", "0", "Ada");
    const made = await payoutIn("quarantined");
    const { operation: id } = await fail(made);
    word = "pending";
    expect(await reasonFor(approve(parts(), CONTROLLED, id, "Grace"))).to.include("still open");
    await refuseOperation(parts(), id, "Grace");
    word = "absent";
    expect(await reasonFor(approve(parts(), CONTROLLED, id, "Grace"))).to.include("No operation");
    expect((await latestOf(made))?.state).to.equal("quarantined");
    await writeControl(books.database, "approval", undefined, "Ada");
    expect(formatAmount((await latestOf(made))?.amount ?? 0n, "USDC")).to.equal("100.00");
  });

  it("can be requested only once at a time", async () => {
    word = "absent";
    await writeControl(books.database, "approval", "0", "Ada");
    const made = await payoutIn("quarantined");
    const { operation: id } = await fail(made);
    expect(await reasonFor(fail(made, "Barbara"))).to.include(`fail ${made.payoutId} is already pending`);
    await refuseOperation(parts(), id, "Grace");
    expect((await fail(made)).waits).to.equal(true);
    await writeControl(books.database, "approval", undefined, "Ada");
  });

  it("can be requested only once even if two people request it concurrently", async () => {
    const request = (by: string) =>
      ask(parts(), CONTROLLED, "limit", { subject: "merchant_hour", arguments: { amount: "5" }, by });
    const both = await Promise.allSettled([request("Ada"), request("Barbara")]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
    const waiting = (await waitingOperations(books.database)).filter(
      (row) => row.subject === "merchant_hour",
    );
    expect(waiting).to.have.length(1);
    await refuseOperation(parts(), waiting[0]?.id ?? 0, "Grace");
  });

  it("can be approved only under a valid operation number", async () => {
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 60])
      expect(await reasonFor(approve(parts(), CONTROLLED, id, "Grace"))).to.include("No operation");
  });
});

describe("an operation whose subject has changed since the request is not approved", () => {
  const request = (action: string, subject: string, given: Record<string, string> = {}) =>
    ask(parts(), CONTROLLED, action, { subject, arguments: given, by: "Ada" });
  const approval = (id: number) => reasonFor(approve(parts(), CONTROLLED, id, "Grace"));
  const waits = async (id: number) => (await waitingOperations(books.database)).some((row) => row.id === id);
  beforeAll(() => writeControl(books.database, "approval", "0", "Ada"));
  afterAll(() => writeControl(books.database, "approval", undefined, "Ada"));

  it("a payout's next call: the earlier call may have received a response, and a different one may be lost", async () => {
    word = "absent";
    const { database } = books;
    const { payoutId } = await payoutIn("quarantined");
    const spent = (call: number) =>
      database
        .update(payout)
        .set({ declinedCalls: call - 1, spentCall: call })
        .where(eq(payout.id, payoutId));
    await spent(1);
    const { operation: id } = await request("reorder", payoutId);
    await spent(2);
    expect(await approval(id))
      .to.include("call was 1, is now 2")
      .and.include("request it again");
    expect(await waits(id)).to.equal(true);
    await spent(1);
    expect(await approval(id)).to.equal("");
    const [row] = await database.select().from(payout).where(eq(payout.id, payoutId));
    expect(row).to.include({ declinedCalls: 1, spentCall: null });
  });

  it("an account's state, even if it is the same again", async () => {
    const { database } = books;
    const drain = (by: string) => changeAccount(database, "another", "draining", { by, reason: "a drill" });
    await drain("Ada");
    const { operation: id } = await request("activate-account", "another", { reason: "it is over" });
    await changeAccount(database, "another", "active", { by: "Barbara", reason: "a mistake" });
    await drain("Barbara");
    expect(await approval(id)).to.include("by Barbara");
    await refuseOperation(parts(), id, "Grace");
    const next = await request("activate-account", "another", { reason: "it is over" });
    expect(await approval(next.operation)).to.equal("");
  });

  it("a moved payout's source account; and a payout cannot be moved to its current account", async () => {
    const { database } = books;
    const { payoutId } = await payoutIn("created", null);
    const { operation: id } = await request("move-payout", payoutId, { account: "another" });
    await database.update(payout).set({ account: "gullible", wallet: "w" }).where(eq(payout.id, payoutId));
    expect(await approval(id)).to.include("from was none none, is now gullible w");
    await refuseOperation(parts(), id, "Grace");
    const again = await request("move-payout", payoutId, { account: "another" });
    expect(await approval(again.operation)).to.equal("");
    expect(await reasonFor(request("move-payout", payoutId, { account: "another" }))).to.include("already");
  });

  it("a limit, and the amount at stake", async () => {
    const { database } = books;
    const { operation: id } = await request("limit", "approval", { amount: "50" });
    await writeControl(database, "approval", "20", "Barbara");
    expect(await approval(id)).to.include("from was 0, is now 20");
    await writeControl(database, "approval", "0", "Ada");
    word = "absent";
    const made = await payoutIn("failed");
    const asked = await request("settle-externally", made.payoutId, payment());
    await database.update(operation).set({ amount: 99_000_000n }).where(eq(operation.id, asked.operation));
    expect(await approval(asked.operation)).to.include("at stake was 99.00 USDC, is now 100.00 USDC");
  });

  it("the wallets of an account, for a payout that moves there and for the account itself", async () => {
    const { database } = books;
    const account = "replaced";
    const wallet = async (walletId: string) => {
      await database.delete(offRampWallet).where(eq(offRampWallet.account, account));
      const address = `0x${walletId.padStart(40, "0")}` as const;
      await database.insert(offRampWallet).values({ account, address, walletId, settings: "confirmed" });
    };
    await wallet("a");
    const { payoutId } = await payoutIn("created", null);
    const moved = await request("move-payout", payoutId, { account });
    await wallet("b");
    expect(await approval(moved.operation)).to.include("wallets was a ");
    await changeAccount(database, account, "draining", { by: "Ada", reason: "a drill" });
    const activated = await request("activate-account", account, { reason: "it is over" });
    await wallet("a");
    expect(await approval(activated.operation)).to.include("wallets was b ");
  });

  it("a payout's state and account at the time of the request", async () => {
    const { database } = books;
    word = "absent";
    const { payoutId } = await payoutIn("created", null);
    const asked = await request("fail", payoutId);
    await database
      .update(payout)
      .set({ account: "gullible", state: "submitted", providerId: "transfer_1", calledAt: new Date() })
      .where(eq(payout.id, payoutId));
    word = "failed";
    expect(await approval(asked.operation)).to.include("state was created, is now submitted");
  });
});
