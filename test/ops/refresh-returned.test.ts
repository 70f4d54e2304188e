// `npm run ops -- refresh` on a returned payout, during a concurrent retry, and if the provider reports nothing new.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import pg from "pg";
import { payout } from "#core/db/schema/payouts.ts";
import { refreshPayout, retryPayouts } from "#scripts/cli/ops/changes.ts";
import type { OffRamp, Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { type Books, openBooksWith } from "#test/ledger/support/books.ts";
import { gullibleBank } from "#test/settlement/support/gullible-bank.ts";
import { untilBlocked } from "#test/support/lock-waits.ts";

let books: Books;
/** The provider's report about every transfer; undefined if it knows none. */
let word: Pick<Transfer, "state" | "fee"> | undefined;
/** The provider's response waits for this promise. */
let mayAnswer: Promise<void> | undefined;
let onQuestion: () => void = () => undefined;

const bank = (database: Books["database"]): OffRamp => ({
  ...gullibleBank(database),
  lookUpAfterMs: 0,
  async lookUp(reference) {
    onQuestion();
    await mayAnswer;
    return (
      word && {
        ...{ ...word, providerId: "transfer_1", reference, amount: 100_000_000n, currency: "USDC" },
        ...{ createdAt: new Date(), completedAt: null, failure: null, nextPollAt: null },
      }
    );
  },
});

beforeAll(async () => {
  books = await openBooksWith(bank);
});
afterAll(() => books.close());
beforeEach(() => {
  mayAnswer = undefined;
  onQuestion = () => undefined;
});

async function returned(more: Partial<typeof payout.$inferInsert>) {
  const made = await books.settled(10);
  const own = { account: "gullible", providerId: "transfer_1", nextAttemptAt: null };
  return { made, id: await books.payOut(made, "returned", { ...own, ...more }) };
}

const attempts = (intentId: string) =>
  books.database
    .select()
    .from(payout)
    .where(eq(payout.intentId, intentId as typeof payout.$inferSelect.intentId))
    .orderBy(payout.attempt);

/** Stores the provider's response after the retry has begun but before it writes. */
async function retryBeforeAnswer(fee: bigint) {
  const { made, id } = await returned({ fee });
  await refreshPayout(books.database, id, "Ada");
  const [open, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  mayAnswer = open.promise;
  onQuestion = asked.resolve;
  const working = createPayoutHandler(books.context, () => undefined)([id]);
  await asked.promise;
  const blocker = new pg.Client({ connectionString: books.databaseUrl });
  await blocker.connect();
  try {
    await blocker.query("begin; lock table gateway.operation in access exclusive mode");
    const retrying = retryPayouts(books.database, made.id, "merchant", "Ada").catch(() => []);
    await untilBlocked(books.database);
    open.resolve();
    // If the refresh locks the payouts, it waits for the retry. Otherwise, it stores the response now.
    await Promise.race([working, untilBlocked(books.database, 2)]);
    await blocker.query("commit");
    await retrying;
    await working;
  } finally {
    await blocker.end();
  }
  return attempts(made.id);
}

describe("the refresh of a returned payout", () => {
  it("that finds it paid during a retry does not leave a second attempt beside a completed one", async () => {
    word = { state: "completed", fee: 0n };
    const [first, second] = await retryBeforeAnswer(0n);
    if (second) expect(first).to.include({ state: "returned", retried: true });
    else expect(first).to.include({ state: "completed", retried: false });
  });

  it("that finds its fee corrected during a retry deducts the stored fee", async () => {
    word = { state: "returned", fee: 1_000_000n };
    const [first, second] = await retryBeforeAnswer(60_000_000n);
    expect(second?.deducted).to.equal(first?.fee);
  });

  it.each([["gullible"], ["removed"]])(
    "of the account %s ends if nobody has a record of the transfer",
    async (account) => {
      word = undefined;
      const { made, id } = await returned({ account });
      await refreshPayout(books.database, id, "Ada");
      await createPayoutHandler(books.context, () => undefined)([id]);
      const [row] = await attempts(made.id);
      expect(row).to.include({ state: "returned", nextAttemptAt: null, blocked: null });
    },
  );
});
