// A restored database lacks the payments made since the backup. Such a payout is planned again, and its row is newer
// than its transfer.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { gullibleBank, openBook, paidTimes } from "./support/gullible-bank.ts";
import { settledWorld, stateOf } from "./support/settled-world.ts";

/** Pays, loses the payout's record, and pays again. `asked` runs during the bank call. */
async function payAgain(
  forget: (database: Database) => Promise<unknown>,
  asked: (database: Database) => Promise<unknown>,
) {
  let forgotten = false;
  const { world, ids } = await settledWorld(1, (database) => {
    const bank = gullibleBank(database);
    return {
      ...bank,
      // Behaves like a provider whose list is read back only to a given time.
      async lookUp(reference, known) {
        const transfer = await bank.lookUp(reference);
        if (forgotten) await asked(database);
        return transfer && transfer.createdAt < (known?.notBefore ?? new Date(0)) ? undefined : transfer;
      },
    };
  });
  const { database } = world.context;
  await openBook(database);
  const pay = createPayoutHandler(world.context, () => undefined);
  await pay(ids);
  const createdAt = new Date(Date.now() + 3_600_000);
  const due = { state: "created", providerId: null, nextAttemptAt: sql`clock_timestamp()` } as const;
  await database.update(payout).set({ ...due, createdAt });
  await forget(database);
  forgotten = true;
  await pay(ids);
  const paid = [...(await paidTimes(database)).values()];
  const state = (await stateOf(database, ids[0] ?? ""))?.state;
  await world.close();
  return { paid, state };
}

describe("a payout that a restored database has lost", () => {
  const nothing = async () => undefined;

  it("is paid once: its transfer is searched from its settlement on, however new the row is", async () => {
    expect(await payAgain(nothing, nothing)).to.deep.equal({ paid: [1], state: "completed" });
  });

  it("is paid once even if the chain has its settlement only after the bank call", async () => {
    const vanish = async (database: Database) => {
      await database.execute("create table public.away as select * from chain.settlement");
      await database.execute("delete from chain.settlement");
    };
    const comeBack = (database: Database) =>
      database.execute("insert into chain.settlement select * from public.away");
    expect(await payAgain(vanish, comeBack)).to.deep.equal({ paid: [1], state: "completed" });
  });
});
