// Several provider accounts: which account a payout is bound to, which wallet pays it, and the effects of draining,
// moving and removing.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq } from "drizzle-orm";
import type { Address } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { offRampAccount } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, newId } from "#core/ids.ts";
import { tryPayoutsAgain } from "#core/payouts/try-again.ts";
import { changeAccount, listAccounts, movePayout } from "#scripts/cli/ops/off-ramp-accounts.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { findUnverified, listOffRamps } from "#settlement/off-ramp/accounts.ts";
import { openOffRamps } from "#settlement/off-ramp/open-off-ramps.ts";
import { createPayoutClaim } from "#settlement/payouts/claim-payouts.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { insertPayout } from "./support/payouts.ts";
import { stateOf } from "./support/settled-world.ts";
import { configFor, makeWorld, OFF_RAMP, PAYER, type World } from "./support/world.ts";

const newAddress = (): Address => privateKeyToAddress(generatePrivateKey());
const SECOND = newAddress();
const DAIS = newAddress();

let world: World;
let first: SimulatedProvider;
let second: SimulatedProvider;
let names: { first: string; second: string };
let pay: (ids: string[]) => Promise<void>;
let block = 10;

const start = (account: string, walletAddress: Address) =>
  startProvider({ webhookUrl: "http://127.0.0.1:1", walletAddress, account, minMs: 50, maxMs: 100 });

/** Describes the second account in the format of OFF_RAMP_ACCOUNTS. */
function describeSecond(): string {
  const { environment } = second;
  const daiWallet = second.addWallet(DAIS);
  return JSON.stringify([
    {
      url: environment.OFF_RAMP_API_URL,
      apiKey: environment.OFF_RAMP_API_KEY,
      customerId: environment.OFF_RAMP_CUSTOMER_ID,
      webhookKey: environment.OFF_RAMP_WEBHOOK_KEY,
      methods: ["OFF_RAMP_TO_BANK"],
      currencies: ["USDC", "DAI"],
      maximum: "500.00",
      wallets: [
        { id: environment.OFF_RAMP_WALLET_ID, address: SECOND, currencies: ["USDC"] },
        { id: daiWallet, address: DAIS, currencies: ["DAI"] },
      ],
    },
  ]);
}

beforeAll(async () => {
  first = start("first", OFF_RAMP);
  second = start("second", SECOND);
  world = await makeWorld();
  const config = configFor(world.databaseUrl, {
    ...first.environment,
    OFF_RAMP_ACCOUNTS: describeSecond(),
    OFF_RAMP_TIMEOUT_MS: "1000",
  });
  const { context } = world;
  context.offRamps = await openOffRamps(config, context.database);
  expect([...(await findUnverified(context.offRamps))]).to.deep.equal([]);
  const [one = "", two = ""] = listOffRamps(context.offRamps).map(({ account }) => account);
  names = { first: one, second: two };
  pay = createPayoutHandler(context, () => undefined, { leaseMs: 8_000, answerMs: 2_000 });
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await world?.close();
});

type Change = Partial<typeof payout.$inferInsert>;

/** Creates a confirmed order of 100 that was settled to this wallet, with an unclaimed payout. */
async function settledTo(offRamp: Address, more: Change = {}): Promise<string> {
  const { context, chain } = world;
  const currency = more.currency ?? "USDC";
  const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED", currency }, { offRamp });
  await chain.fund(made.orderId, made.terms, block, PAYER);
  await chain.settle(made.orderId, made.terms, block + 1);
  block += 20;
  await chain.head(block);
  return insertPayout(context.database, made, { method: "OFF_RAMP_TO_BANK", ...more });
}

const rowOf = (id: string) => stateOf(world.context.database, id);

/** Makes the payout due, and runs the worker. */
async function poll(id: string) {
  await world.context.database.update(payout).set({ nextAttemptAt: new Date() }).where(eq(payout.id, id));
  await pay([id]);
  return rowOf(id);
}

const reaches = (id: string, state: string) =>
  until(async () => (await poll(id))?.state === state, {
    what: `The payout being ${state}`,
    timeoutMs: 20_000,
  });

async function orderedAt(id: string) {
  const reference = (await rowOf(id))?.reference;
  return [first, second].flatMap((provider) =>
    provider.transfers().flatMap((one) => (one.reference === reference ? [one.walletId] : [])),
  );
}

const decide = { by: "ann", reason: "a test" };
const change = (account: string, to: "active" | "draining" | "removed") =>
  changeAccount(world.context.database, account, to, decide);
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );

describe("a payout is bound, before its first call,", () => {
  it("to the account and wallet that received its settlement, for each token, and is paid there once", async () => {
    const [a, b, c] = [
      await settledTo(OFF_RAMP),
      await settledTo(SECOND),
      await settledTo(DAIS, { currency: "DAI", amount: 100n * 10n ** 18n }),
    ];
    for (const id of [a, b, c]) await reaches(id, "completed");
    expect([await orderedAt(a), await orderedAt(b), await orderedAt(c)]).to.deep.equal([
      ["wallet_first"],
      ["wallet_second"],
      ["wallet_second_2"],
    ]);
    expect((await rowOf(a))?.account).to.equal(names.first);
    expect(await rowOf(c)).to.include({ account: names.second, wallet: "wallet_second_2" });
  });

  it("never to an account that does not serve its method or amount", async () => {
    for (const more of [{ method: "OFF_RAMP_TO_RTP" }, { amount: 600_000_000n }] as Change[]) {
      const id = await settledTo(SECOND, more);
      expect(await poll(id)).to.include({ account: null, calledAt: null, state: "created" });
      expect((await rowOf(id))?.blocked).to.include("No account accepts new payouts");
      expect(await orderedAt(id)).to.deep.equal([]);
    }
  });

  it("D5: and stays with that wallet, even if the account's wallet changes", async () => {
    const id = await settledTo(SECOND);
    second.faults.down = true;
    await poll(id);
    const bound = await rowOf(id);
    expect(bound).to.include({ account: names.second, wallet: "wallet_second", calledAt: null });
    second.faults.down = false;
    await world.context.database.execute(
      `update gateway.off_ramp_wallet set wallet_id = 'wallet_other' where wallet_id = 'wallet_second'`,
    );
    await reaches(id, "completed");
    expect(await orderedAt(id)).to.deep.equal(["wallet_second"]);
    await world.context.database.execute(
      `update gateway.off_ramp_wallet set wallet_id = 'wallet_second' where wallet_id = 'wallet_other'`,
    );
  });
});

describe("an unresponsive account", () => {
  it("is recorded as failing until it responds again", async () => {
    const failing = async () => {
      const [row] = await world.context.database
        .select()
        .from(offRampAccount)
        .where(eq(offRampAccount.account, names.second));
      return row?.failingSince != null;
    };
    const id = await settledTo(SECOND);
    second.faults.down = true;
    for (let polls = 0; polls < 3; polls++) await poll(id);
    expect(await failing()).to.equal(true);
    second.faults.down = false;
    await reaches(id, "completed");
    expect(await failing()).to.equal(false);
  });
});

describe("a drained account", () => {
  it("follows its ordered payouts, does not accept new ones, and can be removed when none is open", async () => {
    const { database } = world.context;
    const ordered = await settledTo(SECOND, { destination: "slow_account" });
    await reaches(ordered, "submitted");
    second.faults.down = true;
    const bound = await settledTo(SECOND);
    expect(await poll(bound)).to.include({ account: names.second, calledAt: null });
    second.faults.down = false;
    await change(names.second, "draining");
    const unbound = await settledTo(SECOND);
    for (const id of [bound, unbound]) {
      expect((await poll(id))?.blocked).to.match(/npm run accounts/);
      expect(await orderedAt(id)).to.deep.equal([]);
    }
    expect(await refusalOf(change(names.second, "removed"))).to.include("still has open payouts");
    await reaches(ordered, "completed");

    // The second account has never received these payouts, so the first one may pay them.
    for (const id of [bound, unbound]) {
      await movePayout(database, id, names.first, { by: "ann" });
      await reaches(id, "completed");
      expect(await orderedAt(id)).to.deep.equal(["wallet_first"]);
    }
    expect(await refusalOf(movePayout(database, ordered, names.first, { by: "ann" }))).to.include(
      "may have been",
    );

    // Removal is rejected until no bank can return a payout any more.
    expect(await refusalOf(change(names.second, "removed"))).to.include("completed");
    await database.update(payout).set({ nextAttemptAt: null }).where(eq(payout.account, names.second));
    // Its retry waits for the report that the funds are back.
    const returned = { state: "returned", refunded: false } as const;
    await database.update(payout).set(returned).where(eq(payout.id, ordered));
    expect(await refusalOf(change(names.second, "removed"))).to.include("1 returned");
    const [row] = await database.select().from(payout).where(eq(payout.id, ordered));
    if (!row) throw new Error("The payout is gone.");
    // The report about a later attempt decides, once a provider has accepted that attempt.
    const next = { id: newId("payout"), reference: "attempt_2", attempt: 2, calledAt: new Date() };
    const declined = { ...next, account: names.first, providerId: null, state: "failed" } as const;
    await database.insert(payout).values({ ...row, ...declined });
    expect(await refusalOf(change(names.second, "removed"))).to.include("1 returned");
    const accepted = { providerId: "transfer_2", state: "returned", refunded: true } as const;
    await database.update(payout).set(accepted).where(eq(payout.id, next.id));
    await change(names.second, "removed");
    const listed = await listAccounts(database);
    expect(listed.find(({ account }) => account === names.second)).to.include({
      state: "removed",
      open: 0,
      by: "ann",
    });
    expect(await refusalOf(movePayout(database, unbound, names.second, { by: "ann" }))).to.include("removed");

    const entries = await database
      .select({ action: auditLog.action, from: auditLog.fromStatus, to: auditLog.toStatus })
      .from(auditLog)
      .where(and(eq(auditLog.resourceId, names.second), eq(auditLog.actor, "ann")))
      .orderBy(auditLog.position);
    expect(entries).to.deep.equal([
      { action: "account.draining", from: "active", to: "draining" },
      { action: "account.removed", from: "draining", to: "removed" },
    ]);
  });

  it("cannot be removed before it is drained, or if it is unknown", async () => {
    expect(await refusalOf(change(names.first, "removed"))).to.include("Drain the account");
    expect(await refusalOf(change("bridge nowhere", "draining"))).to.include(
      "No such account: 'bridge nowhere'",
    );
  });
});

it("D1: a payout with an unknown call outcome is never moved to another account, regardless of that account's response", async () => {
  const { database } = world.context;
  await change(names.second, "active");
  const id = await settledTo(SECOND);
  second.faults.losesAnswers = true;
  expect(await poll(id)).to.include({ state: "quarantined" });
  second.faults.losesAnswers = false;
  await change(names.second, "draining");
  expect(await refusalOf(movePayout(database, id, names.first, { by: "ann" }))).to.include(
    "may have been ordered",
  );
  await reaches(id, "completed");
  expect(await orderedAt(id)).to.deep.equal(["wallet_second"]);
});

it("D1: a payout whose worker died before any call was not ordered, and is moved", async () => {
  const { database, offRamps } = world.context;
  await change(names.second, "active");
  const id = await settledTo(SECOND);
  const [claimed] = await createPayoutClaim(database, offRamps, 1)([id]);
  expect(claimed).to.include({ id, account: names.second, calledAt: null });
  const move = () => refusalOf(movePayout(database, id, names.first, { by: "ann" }));
  await until(async () => (await move()) === "", { what: "The end of the lease", timeoutMs: 10_000 });
  await reaches(id, "completed");
  const wallets = await orderedAt(id);
  expect(wallets).to.have.length(1).and.not.include("wallet_second");
});

it("a retry is paid from the wallet that paid the attempt before, because its funds return there", async () => {
  const { database, deployment } = world.context;
  const id = await settledTo(SECOND);
  await change(names.second, "draining");
  await movePayout(database, id, names.first, { by: "ann" });
  await reaches(id, "completed");
  await change(names.second, "active");
  await database
    .update(payout)
    .set({ state: "returned", refunded: true, nextAttemptAt: null, updatedAt: new Date(0) })
    .where(eq(payout.id, id));
  const intentId = (await rowOf(id))?.intentId as IntentId;
  const [retry = ""] = await database.transaction((tx) =>
    tryPayoutsAgain(tx, deployment, intentId, "merchant"),
  );
  await reaches(retry, "completed");
  expect(await orderedAt(retry)).to.deep.equal(["wallet_first"]);
});

it("a retry whose funds return to a drained account waits there, and changes nothing until it is moved", async () => {
  const { database, deployment } = world.context;
  const id = await settledTo(SECOND);
  await reaches(id, "completed");
  await database
    .update(payout)
    .set({ state: "returned", refunded: true, nextAttemptAt: null, updatedAt: new Date(0) })
    .where(eq(payout.id, id));
  const intentId = (await rowOf(id))?.intentId as IntentId;
  await change(names.second, "draining");
  const [retry = ""] = await database.transaction((tx) =>
    tryPayoutsAgain(tx, deployment, intentId, "merchant"),
  );
  expect(await poll(retry)).to.include({ account: null, calledAt: null });
  expect((await rowOf(retry))?.blocked).to.include(SECOND);
  await movePayout(database, retry, names.first, { by: "ann" });
  await reaches(retry, "completed");
  expect(await orderedAt(retry)).to.deep.equal(["wallet_first"]);
});
