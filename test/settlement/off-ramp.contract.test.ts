// The contract of every off-ramp adapter, tested against every provider.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { ProviderApi } from "#core/config/off-ramp-config.ts";
import { connect, type Database } from "#core/db/client.ts";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { startProvider } from "#scripts/provider/provider.ts";
import { startQuoteProvider } from "#scripts/provider/quotes.ts";
import { until } from "#scripts/shared/wait.ts";
import { openMockBank } from "#settlement/off-ramp/mock.ts";
import {
  type OffRamp,
  type Transfer,
  type TransferOrder,
  TransferRefused,
} from "#settlement/off-ramp/off-ramp.ts";
import { testDatabase } from "#test/support/stack.ts";
import { bridgeTo } from "./support/bridge.ts";
import { bvnkTo } from "./support/bvnk.ts";
import { OFF_RAMP } from "./support/world.ts";

type Adapter = {
  name: string;
  method: SettlementMethod;
  /** Starts a provider whose transfers take tenths of a second and cost FEE. */
  start(database: Database): Started;
};

type Started = {
  /** Opens an adapter for the provider. */
  open(): Promise<OffRamp>;
  stop(): unknown;
};

/** Destinations for which the mock bank and the simulated provider behave the same. */
const destinations: Record<
  "good" | "slow" | "failing" | "refused" | "returning" | "losingTheAnswer" | "failingOnce",
  () => string
> = {
  good: () => "bank_account_123",
  slow: () => "slow_account",
  failing: () => "fail_account",
  refused: () => "refused_account",
  returning: () => "returned_account",
  losingTheAnswer: () => "lost_answer_account",
  failingOnce: () => `fail_once_${randomUUID()}`,
};

const TIMES = { minMs: 100, maxMs: 300 };
/** The shortest time in which a slow transfer can be canceled: a fifth of ten times `minMs`. */
const CANCELABLE_MS = 200;
/** The fee that the adapters in test/settlement/support expect. */
const FEE = "0.25";

const PROVIDERS: Record<ProviderApi, Adapter[]> = {
  bridge: (["OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"] as const).map((method) => ({
    name: `the provider, ${method}`,
    method,
    start(database: Database) {
      const webhookUrl = "http://127.0.0.1:1";
      const provider = startProvider({ webhookUrl, walletAddress: OFF_RAMP, ...TIMES, fee: FEE });
      // A worker would repeat an interrupted look-up, but there is none here.
      const open = async () => bridgeTo(database, provider, { searchMs: 30_000 });
      return { open, stop: () => provider.stop() };
    },
  })),
  bvnk: [
    {
      name: "the provider of quotes",
      method: "OFF_RAMP_TO_BANK",
      start(database) {
        const provider = startQuoteProvider({ walletAddress: OFF_RAMP, ...TIMES, fee: FEE });
        return { open: async () => bvnkTo(database, provider), stop: () => provider.stop() };
      },
    },
  ],
};

const MOCK_BANK: Adapter = {
  name: "the mock bank",
  method: "OFF_RAMP_MOCK",
  start: ({ $client: pool }) => ({
    open: () => openMockBank({ pool, ...TIMES, rules: true }),
    stop: () => undefined,
  }),
};

const orderBy = (method: SettlementMethod, destination: string): TransferOrder => ({
  reference: randomUUID(),
  method,
  wallet: "wallet_gateway",
  amount: 123_456_789n,
  currency: "USDC",
  destination,
  beneficiary: "Merchant",
});

for (const { name, method, start } of [MOCK_BANK, ...Object.values(PROVIDERS).flat()]) {
  describe(name, () => {
    let database: Database;
    let provider: Started;
    let offRamp: OffRamp;
    const order = (destination: string) => orderBy(method, destination);
    beforeAll(async () => {
      database = connect(await testDatabase(), { application: "off-ramp" });
      provider = start(database);
      offRamp = await provider.open();
    });
    afterAll(() => Promise.all([database.$client.end(), provider.stop()]));

    const reaches = (reference: string, state: Transfer["state"]) =>
      until(
        async () => {
          const found = await offRamp.lookUp(reference);
          return found?.state === state && found;
        },
        { what: `The transfer being ${state}`, timeoutMs: 10_000 },
      );

    it("does not know a reference that it never received", async () => {
      expect(await offRamp.lookUp(randomUUID())).to.equal(undefined);
    });

    it("accepts a transfer, finds it by its reference, and completes it", async () => {
      const wanted = order(destinations.good());
      const accepted = await offRamp.create(wanted);
      expect(accepted).to.include({ reference: wanted.reference, amount: wanted.amount, currency: "USDC" });
      expect(accepted).to.include({ state: "pending", completedAt: null, failure: null });
      expect((await offRamp.lookUp(wanted.reference))?.providerId).to.equal(accepted.providerId);
      const completed = await reaches(wanted.reference, "completed");
      expect(completed.completedAt).to.be.instanceOf(Date);
      expect(completed.amount).to.equal(wanted.amount);
    });

    it("makes one transfer per reference, however often and concurrently it is ordered", async () => {
      const wanted = order(destinations.good());
      const answers = await Promise.all(Array.from({ length: 8 }, () => offRamp.create(wanted)));
      expect(new Set(answers.map((answer) => answer.providerId)).size).to.equal(1);
    });

    it("reports a failure, and why", async () => {
      const wanted = order(destinations.failing());
      await offRamp.create(wanted);
      const failed = await reaches(wanted.reference, "failed");
      expect(failed.failure).to.be.a("string").and.not.equal("");
      expect(failed.completedAt).to.equal(null);
    });

    it("rejects with a specific error, and then does not know the reference", async () => {
      const wanted = order(destinations.refused());
      const error = await offRamp.create(wanted).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(TransferRefused);
      expect(await offRamp.lookUp(wanted.reference)).to.equal(undefined);
    });

    it("finds an accepted transfer although the response was lost", async () => {
      const wanted = order(destinations.losingTheAnswer());
      const error = await offRamp.create(wanted).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(Error).and.not.instanceOf(TransferRefused);
      await reaches(wanted.reference, "completed");
    });

    it("reports that a completed transfer was returned", async () => {
      const wanted = order(destinations.returning());
      await offRamp.create(wanted);
      const returned = await reaches(wanted.reference, "returned");
      expect(returned.failure).to.be.a("string").and.not.equal("");
    });

    it("makes another attempt, under a different reference, after one that failed", async () => {
      const destination = destinations.failingOnce();
      const [first, second] = [order(destination), order(destination)];
      await offRamp.create(first);
      await reaches(first.reference, "failed");
      await offRamp.create(second);
      await reaches(second.reference, "completed");
    });

    it("cancels a transfer while it is pending, but not later", async () => {
      const cancelEarly = async () => {
        const early = order(destinations.slow());
        const start = performance.now();
        await offRamp.create(early);
        const { state, canceled } = await offRamp.cancel(early.reference);
        // Only on a busy machine, a cancellation may come too late.
        if (state !== "failed") expect(performance.now() - start).to.be.above(CANCELABLE_MS);
        else expect(await offRamp.lookUp(early.reference)).to.include({ state: "failed", canceled });
        expect(canceled).to.equal(state === "failed" ? true : undefined);
        return state === "failed";
      };
      await until(cancelEarly, { what: "A cancellation in time", timeoutMs: 20_000 });
      const late = order(destinations.good());
      await offRamp.create(late);
      await reaches(late.reference, "completed");
      expect((await offRamp.cancel(late.reference)).state).to.equal("completed");
    });

    it("does not report a transfer that failed for another reason as canceled", async () => {
      const wanted = order(destinations.failingOnce());
      await offRamp.create(wanted);
      await reaches(wanted.reference, "failed");
      const { state, canceled } = await offRamp.cancel(wanted.reference);
      expect({ state, canceled }).to.deep.equal({ state: "failed", canceled: undefined });
    });

    it("lists every transfer since a given time, each once and as a lookup returns it", async () => {
      const before = new Date();
      const wanted = Array.from({ length: 3 }, () => order(destinations.slow()));
      await Promise.all(wanted.map((one) => offRamp.create(one)));
      const lookUpAll = () => Promise.all(wanted.map(({ reference }) => offRamp.lookUp(reference)));
      // The provider may debit a transfer while the list is read.
      const found = await lookUpAll();
      const listed = await Array.fromAsync(offRamp.transfers({ since: new Date(before.getTime() - 1_000) }));
      const foundAfterwards = await lookUpAll();
      const references = listed.map(({ reference }) => reference);
      expect(new Set(references).size).to.equal(references.length);
      for (const [index, { reference }] of wanted.entries()) {
        const inList = listed.find((one) => one.reference === reference);
        expect(inList).to.not.equal(undefined);
        expect(inList).to.be.deep.oneOf([found[index], foundAfterwards[index]]);
      }
      const later = new Date(Date.now() + 60_000);
      expect(await Array.fromAsync(offRamp.transfers({ since: later }))).to.deep.equal([]);
    });

    it("also finds a transfer by its known facts, and does not confuse transfers", async () => {
      const wanted = order(destinations.good());
      const notBefore = new Date(Date.now() - 60_000);
      const { providerId } = await offRamp.create(wanted);
      expect(await offRamp.lookUp(wanted.reference, { notBefore })).to.include({ providerId });
      expect(await offRamp.lookUp(wanted.reference, { providerId, notBefore })).to.include({ providerId });
      expect(await offRamp.lookUp(randomUUID(), { notBefore })).to.equal(undefined);
    });

    it("quotes a fee and a time, and keeps that fee", async () => {
      const wanted = order(destinations.good());
      const { fee, seconds } = offRamp.quote(wanted);
      expect(seconds).to.be.a("number").and.above(0);
      await offRamp.create(wanted);
      expect((await reaches(wanted.reference, "completed")).fee).to.equal(fee);
    });

    it("still knows its accepted transfers after reopening", async () => {
      const wanted = order(destinations.good());
      const { providerId } = await offRamp.create(wanted);
      const [one, other] = await Promise.all([1, 2].map(() => provider.open()));
      expect((await one?.lookUp(wanted.reference))?.providerId).to.equal(providerId);
      expect((await other?.lookUp(wanted.reference))?.providerId).to.equal(providerId);
    });
  });
}

it("the mock bank accepts every destination as given unless rules are enabled", async () => {
  const database = connect(await testDatabase(), { application: "off-ramp" });
  const bank = await openMockBank({ pool: database.$client, minMs: 0, maxMs: 0, rules: false });
  const wanted = orderBy("OFF_RAMP_MOCK", "fail_account");
  await bank.create(wanted);
  await until(async () => (await bank.lookUp(wanted.reference))?.state === "completed", {
    what: "The transfer",
    timeoutMs: 5_000,
  });
  await database.$client.end();
});
