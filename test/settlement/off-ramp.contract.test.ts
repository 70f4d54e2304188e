// What every off-ramp adapter must do, whatever provider stands behind it.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { connect, type Database } from "#core/db/client.ts";
import { until } from "#scripts/local/wait.ts";
import { openMockBank } from "#settlement/offramp/mock.ts";
import {
  type OffRamp,
  type Transfer,
  type TransferOrder,
  TransferRefused,
} from "#settlement/offramp/off-ramp.ts";
import { testDatabase } from "#test/support/stack.ts";

type Adapter = {
  name: string;
  /** An adapter whose provider takes tenths of a second for a transfer. */
  open(database: Database): Promise<OffRamp>;
  /** Destinations that make the provider behave so. */
  destinations: Record<
    "good" | "failing" | "refused" | "returning" | "losingTheAnswer" | "failingOnce",
    () => string
  >;
};

const ADAPTERS: Adapter[] = [
  {
    name: "the mock bank",
    open: ({ $client: pool }) => openMockBank({ pool, minMs: 100, maxMs: 300, rules: true }),
    destinations: {
      good: () => "bank_account_123",
      failing: () => "fail_account",
      refused: () => "refused_account",
      returning: () => "returned_account",
      losingTheAnswer: () => "lost_answer_account",
      failingOnce: () => `fail_once_${randomUUID()}`,
    },
  },
];

const order = (destination: string): TransferOrder => ({
  reference: randomUUID(),
  method: "OFF_RAMP_MOCK",
  amount: 123_456_789n,
  currency: "USDC",
  destination,
});

for (const { name, open, destinations } of ADAPTERS) {
  describe(name, () => {
    let database: Database;
    let offRamp: OffRamp;
    beforeAll(async () => {
      database = connect(await testDatabase(), { application: "off-ramp" });
      offRamp = await open(database);
    });
    afterAll(() => database.$client.end());

    const reaches = (reference: string, state: Transfer["state"]) =>
      until(
        async () => {
          const found = await offRamp.findByReference(reference);
          return found?.state === state && found;
        },
        { what: `The transfer being ${state}`, timeoutMs: 10_000 },
      );

    it("does not know a reference that it never got", async () => {
      expect(await offRamp.findByReference(randomUUID())).to.equal(undefined);
    });

    it("accepts a transfer, finds it by its reference, and completes it", async () => {
      const wanted = order(destinations.good());
      const accepted = await offRamp.create(wanted);
      expect(accepted).to.include({ reference: wanted.reference, amount: wanted.amount, currency: "USDC" });
      expect(accepted).to.include({ state: "pending", completedAt: null, failure: null });
      expect((await offRamp.findByReference(wanted.reference))?.providerId).to.equal(accepted.providerId);
      const completed = await reaches(wanted.reference, "completed");
      expect(completed.completedAt).to.be.instanceOf(Date);
      expect(completed.amount).to.equal(wanted.amount);
    });

    it("makes one transfer of one reference, however often and at once it is ordered", async () => {
      const wanted = order(destinations.good());
      const answers = await Promise.all(Array.from({ length: 8 }, () => offRamp.create(wanted)));
      expect(new Set(answers.map((answer) => answer.providerId)).size).to.equal(1);
    });

    it("tells a failure, and why", async () => {
      const wanted = order(destinations.failing());
      await offRamp.create(wanted);
      const failed = await reaches(wanted.reference, "failed");
      expect(failed.failure).to.be.a("string").and.not.equal("");
      expect(failed.completedAt).to.equal(null);
    });

    it("refuses with an error of its own, and then does not know the reference", async () => {
      const wanted = order(destinations.refused());
      const error = await offRamp.create(wanted).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(TransferRefused);
      expect(await offRamp.findByReference(wanted.reference)).to.equal(undefined);
    });

    it("finds what it has accepted although its answer was lost", async () => {
      const wanted = order(destinations.losingTheAnswer());
      const error = await offRamp.create(wanted).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(Error).and.not.instanceOf(TransferRefused);
      await reaches(wanted.reference, "completed");
    });

    it("tells when a completed transfer has come back", async () => {
      const wanted = order(destinations.returning());
      await offRamp.create(wanted);
      const returned = await reaches(wanted.reference, "returned");
      expect(returned.completedAt).to.be.instanceOf(Date);
      expect(returned.failure).to.be.a("string").and.not.equal("");
    });

    it("makes another attempt, under another reference, after one that failed", async () => {
      const destination = destinations.failingOnce();
      const [first, second] = [order(destination), order(destination)];
      await offRamp.create(first);
      await reaches(first.reference, "failed");
      await offRamp.create(second);
      await reaches(second.reference, "completed");
    });

    it("opens again and still knows what it has accepted", async () => {
      const wanted = order(destinations.good());
      const { providerId } = await offRamp.create(wanted);
      const [one, other] = await Promise.all([open(database), open(database)]);
      expect((await one.findByReference(wanted.reference))?.providerId).to.equal(providerId);
      expect((await other.findByReference(wanted.reference))?.providerId).to.equal(providerId);
    });
  });
}

it("the mock bank takes every destination at its word unless rules are on", async () => {
  const database = connect(await testDatabase(), { application: "off-ramp" });
  const bank = await openMockBank({ pool: database.$client, minMs: 0, maxMs: 0, rules: false });
  const wanted = order("fail_account");
  await bank.create(wanted);
  await until(async () => (await bank.findByReference(wanted.reference))?.state === "completed", {
    what: "The transfer",
    timeoutMs: 5_000,
  });
  await database.$client.end();
});
