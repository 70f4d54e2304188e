// What is posted to the ledger, and when.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { workItem } from "#core/db/schema/work.ts";
import { findDifferences } from "#settlement/ledger/differences.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import { blockHash } from "#test/settlement/support/chain-tables.ts";
import { elapse, tracking } from "#test/settlement/support/work.ts";
import { type Books, openBooks } from "./support/books.ts";

const ALL = 100_000_000n;

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
beforeEach(() => books.begin());
afterAll(() => books.close());

describe("a payment is posted", () => {
  it("step by step: funded, settled, paid, each once it is confirmed", async () => {
    const made = await books.settled(10);
    await books.postAt(4);
    expect(await books.balances()).to.deep.equal({});
    await books.postAt(5);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, custody: ALL });
    await books.postAt(13);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, custody: ALL });
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
    const payoutId = await books.payOut(made, "submitted");
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
    await books.becomes(payoutId, "completed");
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, paid: ALL });
    expect(await books.postings(made.id)).to.deep.equal([`funded ${ALL}`, `settled ${ALL}`, `paid ${ALL}`]);
  });

  it("once, however many replicas post concurrently, and however often", async () => {
    const payments = [await books.settled(10), await books.settled(11), await books.funded(3)];
    for (const made of payments.slice(0, 2)) await books.payOut(made, "completed");
    await books.head(20);
    const posters = Array.from({ length: 5 }, () => createPoster(books.context));
    await Promise.all(posters.map((post) => post()));
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -3n * ALL, custody: ALL, paid: 2n * ALL });
  });

  it("with exact sums if two posters compare payouts that complete, change their fee and are returned meanwhile", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 30; count++)
      ids.push(await books.payOut(await books.settled(10), "submitted"));
    await books.postAt(20);
    const posters = [books.post, createPoster(books.context, 0)];
    let isBusy = true;
    const posting = posters.map(async (post) => {
      while (isBusy) await post();
    });
    const changes = [
      { state: "completed", fee: 0n },
      { fee: 5n, postedState: null },
      { fee: 7n, postedState: null },
      { state: "returned", fee: 7n },
    ] as const;
    for (const change of changes) {
      await Promise.all(ids.map((id) => books.database.update(payout).set(change).where(eq(payout.id, id))));
    }
    isBusy = false;
    await Promise.all(posting);
    await books.post();
    const all = 30n * ALL;
    expect(await books.balances()).to.deep.equal({ payers: -all, in_transit: all - 210n, fees: 210n });
  });

  it("again at once if another poster has posted an older state of the chain meanwhile", async () => {
    const made = await books.settled(10);
    await books.postAt(5);
    await books.head(20);
    const { guard, deployment: current } = books.context;
    let reads = 0;
    const meanwhile: typeof guard = async (snapshot) => {
      // The second read is the comparison's.
      if (++reads === 2) {
        const older = {
          kind: "settled",
          subject: "1",
          revision: 1,
          reversed: false,
          amount: ALL / 2n,
        } as const;
        await books.database
          .insert(ledgerPosting)
          .values({ ...older, intentId: made.id, deploymentId: current.id, block: books.at(10) });
      }
      return guard(snapshot);
    };
    await createPoster({ ...books.context, guard: meanwhile }, 3_600_000)();
    const half = { payers: -ALL, custody: ALL / 2n, in_transit: ALL / 2n };
    expect(await books.balances()).to.deep.equal(half);
    await tracking(books.context, "post_ledger")();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
  });

  it("even if nothing was read until the end, and by a poster that only reads new facts", async () => {
    const first = await books.settled(10);
    await books.payOut(first, "completed");
    await books.head(900);
    const post = createPoster(books.context, 3_600_000);
    await post();
    const second = await books.settled(901);
    await books.head(905);
    await post();
    expect(await books.postings(first.id)).to.have.length(3);
    expect(await books.postings(second.id)).to.deep.equal([`funded ${ALL}`, `settled ${ALL}`]);
  });

  it("including what was returned to the payer, and what the merchant withdrew on chain", async () => {
    const { orderId } = await books.funded(2);
    await books.chain.change(orderId, books.at(6), {
      status: 4,
      released: 60_000_000n,
      withdrawn: 60_000_000n,
      withdrawals: 1,
    });
    await books.chain.refund(orderId, 40_000_000n, books.at(5));
    await books.database
      .insert(chain.withdrawal)
      .values({ orderId, number: 1, amount: 60_000_000n, block: books.at(6), txHash: "0x06" });
    await books.postAt(9);
    expect(await books.balances()).to.deep.equal({
      payers: -ALL,
      custody: 60_000_000n,
      returned: 40_000_000n,
    });
    await books.postAt(10);
    expect(await books.balances()).to.deep.equal({
      payers: -ALL,
      withdrawn: 60_000_000n,
      returned: 40_000_000n,
    });
  });

  it("including returned payouts, observed in between or not, and their next attempt", async () => {
    const made = await books.settled(10);
    const first = await books.payOut(made, "returned");
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
    const second = await books.payOut(made, "completed", { attempt: 2 });
    await books.post();
    await books.becomes(second, "returned");
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
    expect((await books.postings(made.id)).slice(2)).to.deep.equal([
      `paid ${ALL}`,
      `payout_returned ${ALL}`,
      `paid ${ALL}`,
      `payout_returned ${ALL}`,
    ]);
    await books.becomes(first, "failed");
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
  });

  it("including provider fees; a fee kept twice is paid from the gateway's own funds", async () => {
    const made = await books.settled(10);
    const first = await books.payOut(made, "completed", { fee: 1_000_000n });
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, paid: 99_000_000n, fees: 1_000_000n });
    await books.becomes(first, "returned");
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: 99_000_000n, fees: 1_000_000n });
    await books.payOut(made, "completed", { attempt: 2, fee: 1_000_000n });
    await books.post();
    expect(await books.balances()).to.deep.equal({
      ...{ payers: -ALL, paid: 99_000_000n, fees: 2_000_000n },
      loss: -1_000_000n,
    });
  });

  it("that was returned with a fee above its amount: the excess is a loss, and the books balance, regardless of who bears fees", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "returned", { fee: ALL + 20_000_000n });
    await books.postAt(14);
    const kept = { payers: -ALL, fees: ALL + 20_000_000n };
    expect(await books.balances()).to.deep.equal({ ...kept, loss: -20_000_000n });
    await books.payOut(made, "completed", { attempt: 2, covered: ALL + 20_000_000n });
    await books.post();
    expect(await books.balances()).to.deep.equal({ ...kept, covered: -ALL - 20_000_000n, paid: ALL });
  });

  it("that was returned with a fee above its amount, until its provider corrects the fee", async () => {
    const made = await books.settled(10);
    const back = await books.payOut(made, "returned", { fee: 2n * ALL });
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, fees: 2n * ALL, loss: -ALL });
    await books.database
      .update(payout)
      .set({ fee: 1_000_000n, postedState: null })
      .where(eq(payout.id, back));
    await books.post();
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: 99_000_000n, fees: 1_000_000n });
  });

  it("that failed, without any fee that its provider reports", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "failed", { fee: ALL + 1n });
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, in_transit: ALL });
  });

  it("part by part if a settlement is paid in parts, without failed ones", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "completed", { amount: 30_000_000n });
    await books.payOut(made, "failed", { amount: 70_000_000n, part: 1 });
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({
      payers: -ALL,
      in_transit: 70_000_000n,
      paid: 30_000_000n,
    });
  });
});

describe("nothing is posted", () => {
  it("as a loss because a payout has postings of two subjects", async () => {
    const made = await books.settled(10);
    const payoutId = await books.payOut(made, "completed");
    await books.postAt(20);
    const { context, database } = books;
    const twin = { kind: "paid", subject: "7.0.1", revision: 1, reversed: true, amount: 1n } as const;
    await database
      .insert(ledgerPosting)
      .values({ ...twin, intentId: made.id, payoutId, deploymentId: context.deployment.id });
    const touched = sql`select ${intent.id} from ${intent} where ${eq(intent.id, made.id)}`;
    const { findings } = await findDifferences(context, touched, undefined);
    expect(findings.differences.map(({ kind }) => kind)).not.to.include("lost");
  });

  it("while the indexer is not current", async () => {
    await books.settled(10);
    await books.post();
    await books.head(20);
    const mark = async () => (await books.database.select().from(deployment))[0]?.ledgerBlock;
    const before = await mark();
    await books.chain.ready(false);
    const failure = await books.post().then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure?.message).to.include("catching up");
    expect(await books.balances()).to.deep.equal({});
    expect(await mark()).to.equal(before);
    await books.chain.ready(true);
  });

  it("for a payment that the posting would overdraw: a completed payout of an unconfirmed settlement", async () => {
    const made = await books.settled(10);
    const other = await books.settled(8);
    await books.payOut(made, "completed", { block: 10 });
    await books.postAt(13);
    expect(await books.postings(made.id)).to.deep.equal([]);
    expect(await books.postings(other.id)).to.have.length(2);
    await books.postAt(14);
    expect(await books.postings(made.id)).to.have.length(3);
  });

  it("for a payment that the ledger rejects, without affecting the others", async () => {
    const [made, other] = [await books.funded(1), await books.funded(1)];
    await books.database.execute(`alter table gateway.ledger_posting add constraint refused
      check (intent_id <> '${ledgerPosting.intentId.mapToDriverValue(made.id)}')`);
    await books.postAt(5);
    expect(await books.postings(made.id)).to.deep.equal([]);
    expect(await books.postings(other.id)).to.have.length(1);
    await books.database.execute("alter table gateway.ledger_posting drop constraint refused");
    await books.post();
    expect(await books.postings(made.id)).to.have.length(1);
  });

  it("for a payment while the ledger rejects it, however long: it is posted once the ledger accepts it (D10)", async () => {
    const [made, other] = [await books.funded(1), await books.funded(1)];
    const retry = tracking(books.context, "post_ledger");
    await books.database.execute(`alter table gateway.ledger_posting add constraint refused
      check (intent_id <> '${ledgerPosting.intentId.mapToDriverValue(made.id)}')`);
    await books.postAt(5);
    await retry();
    const { orderId } = made;
    const isPosting = and(eq(workItem.orderId, orderId), eq(workItem.purpose, "post_ledger"));
    const [item] = await books.database.select().from(workItem).where(isPosting);
    expect(item).to.include({ attempts: 1 });
    expect(item?.lastError).to.include("refused");
    expect(await books.postings(other.id)).to.have.length(1);
    await books.database.execute("alter table gateway.ledger_posting drop constraint refused");
    // Earlier than any block that a poster reads.
    await books.head(900);
    await books.database.update(deployment).set({ ledgerBlock: books.at(895) });
    await createPoster(books.context, 3_600_000)();
    expect(await books.postings(made.id)).to.deep.equal([]);
    await elapse(books.context);
    await retry();
    expect(await books.postings(made.id)).to.have.length(1);
    const left = await books.database.select().from(workItem).where(eq(workItem.purpose, "post_ledger"));
    expect(left).to.deep.equal([]);
  });

  it("for a payment whose provider reports a larger fee than the amount, without affecting the others", async () => {
    const [made, other] = [await books.settled(10), await books.settled(10)];
    const wrong = await books.payOut(made, "completed", { fee: ALL + 1n });
    await books.payOut(other, "completed");
    await books.postAt(14);
    expect(await books.postings(made.id)).to.deep.equal([]);
    expect(await books.postings(other.id)).to.have.length(3);
    await books.database.update(payout).set({ fee: 1n }).where(eq(payout.id, wrong));
    await books.post();
    expect(await books.postings(made.id)).to.have.length(4);
  });
});

describe("a reorg", () => {
  it("shallower than the confirmations changes nothing", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "submitted");
    await books.postAt(14);
    await books.unsettle(made);
    await books.postAt(13);
    expect(await books.postings(made.id)).to.deep.equal([`funded ${ALL}`, `settled ${ALL}`]);
  });

  it("that is deeper reverses postings, and posts them again when the facts reappear", async () => {
    const made = await books.settled(10);
    await books.postAt(14);
    await books.chain.removeOrder(made.orderId);
    await books.postAt(15);
    expect(await books.balances()).to.deep.equal({});
    await books.postAt(18);
    await books.fund(made, 16, 1);
    await books.postAt(19);
    expect(await books.balances()).to.deep.equal({});
    await books.postAt(20);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, custody: ALL });
    expect(await books.postings(made.id)).to.have.members([
      `funded ${ALL}`,
      `settled ${ALL}`,
      `funded -${ALL}`,
      `settled -${ALL}`,
      `funded ${ALL}`,
    ]);
  });

  it("of a settlement whose payout was accepted is a loss until the settlement is mined again", async () => {
    const made = await books.settled(10);
    const payoutId = await books.payOut(made, "submitted");
    await books.postAt(14);
    await books.chain.removeOrder(made.orderId);
    await books.postAt(15);
    expect(await books.balances()).to.deep.equal({ loss: -ALL, in_transit: ALL });
    await books.becomes(payoutId, "completed");
    await books.post();
    expect(await books.balances()).to.deep.equal({ loss: -ALL, paid: ALL });
    await books.fund(made, 16, 1);
    await books.settle(made, 17);
    await books.postAt(20);
    expect(await books.balances()).to.deep.equal({ loss: -ALL, payers: -ALL, custody: ALL, paid: ALL });
    await books.postAt(21);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, paid: ALL });
  });

  it("of a settlement that was mined again higher up is a loss only if it is deep enough", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "completed");
    await books.postAt(14);
    await books.chain.removeOrder(made.orderId);
    await books.postAt(15);
    await books.fund(made, 16, 1);
    await books.settle(made, 17);
    await books.postAt(21);
    const allPaid = { payers: -ALL, paid: ALL };
    expect(await books.balances()).to.deep.equal(allPaid);
    await books.unsettle(made);
    await books.postAt(20);
    expect(await books.balances()).to.deep.equal(allPaid);
    await books.settle(made, 18);
    await books.postAt(22);
    expect(await books.balances()).to.deep.equal(allPaid);
  });

  it("that divides the settlement of completed payouts is not a loss, one that leaves less is", async () => {
    const [part, rest] = [20_000_000n, 80_000_000n];
    const made = await books.settled(10);
    await books.payOut(made, "completed", { amount: part, reference: `${made.id}-0` });
    await books.payOut(made, "completed", { amount: rest, reference: `${made.id}-1`, part: 1 });
    await books.postAt(14);
    const again = (...amounts: bigint[]) =>
      books.chain.settleAll(
        made.orderId,
        made.terms,
        amounts.map((amount, index) => ({ amount, block: books.at(11 + index), txHash: blockHash(index) })),
        1,
      );
    await again(part, rest);
    await books.postAt(20);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, paid: ALL });
    expect((await books.postings(made.id)).join()).not.to.include("lost");
    await again(part);
    await books.postAt(30);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, custody: rest, loss: -rest, paid: ALL });
    await again(part, rest);
    await books.postAt(40);
    expect(await books.balances()).to.deep.equal({ payers: -ALL, paid: ALL });
  });

  it("that changes a settlement's amount twice is posted twice", async () => {
    const made = await books.funded(1);
    for (const [fork, amount] of [20_000_000n, ALL, 50_000_000n].entries()) {
      const settlement = { amount, block: books.at(10), txHash: blockHash(10, fork) };
      await books.chain.settleAll(made.orderId, made.terms, [settlement], fork);
      await books.postAt(20 + fork);
    }
    expect(await books.balances()).to.deep.equal({
      payers: -ALL,
      custody: 50_000_000n,
      in_transit: 50_000_000n,
    });
  });

  it("before anything was posted is a loss as well", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "completed");
    await books.chain.removeOrder(made.orderId);
    await books.postAt(13);
    expect(await books.balances()).to.deep.equal({});
    await books.postAt(14);
    expect(await books.balances()).to.deep.equal({ loss: -ALL, paid: ALL });
  });

  it("is not a loss if the provider reports that the payout failed after all", async () => {
    const made = await books.settled(10);
    const payoutId = await books.payOut(made, "submitted");
    await books.postAt(14);
    await books.chain.removeOrder(made.orderId);
    await books.postAt(15);
    await books.becomes(payoutId, "failed");
    await books.post();
    expect(await books.balances()).to.deep.equal({});
  });
});
