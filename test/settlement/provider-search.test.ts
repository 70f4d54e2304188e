// A provider that cannot search transfers by our reference and whose list is long. A look-up still completes.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { connect, type Database } from "#core/db/client.ts";
import { transferListScan, transferLookup } from "#core/db/schema/off-ramp.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import type { Known, OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { testDatabase } from "#test/support/stack.ts";
import { bridgeTo } from "./support/bridge.ts";
import { OFF_RAMP } from "./support/world.ts";

const MINUTE = 60_000;
/** A time limit that is too short to read thousands of transfers in one look-up, but sufficient over several. */
const SHORT = { searchMs: 150 };
const LONG = { searchMs: 10_000 };
const STILL_READING = "The provider's list is long and has not been read completely yet.";
const PAGE = 100;

let database: Database;
beforeAll(async () => {
  database = connect(await testDatabase(), { application: "provider search" });
});
afterAll(() => database?.$client.end());

/** Starts a separate provider, and counts the requested pages of its list. */
function open() {
  const provider = startProvider({
    webhookUrl: "http://127.0.0.1:1",
    walletAddress: OFF_RAMP,
    minMs: 100,
    maxMs: 300,
  });
  provider.faults.webhooks.silent = true;
  let pages = 0;
  const counting = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (search) pages++;
      const { method, headers, body } = request;
      return fetch(provider.environment.OFF_RAMP_API_URL + pathname + search, { method, headers, body });
    },
  });
  const environment = {
    ...provider.environment,
    OFF_RAMP_API_URL: `http://127.0.0.1:${counting.port}`,
  };
  const counted: SimulatedProvider = { ...provider, environment };
  return {
    provider,
    adapter: (search = SHORT) => bridgeTo(database, counted, { timeoutMs: 4_000, ...search }),
    pages: () => pages,
    async stop() {
      await counting.stop(true);
      await provider.stop();
    },
  };
}

const order = () => ({
  ...{ reference: randomUUID(), amount: 5_000_000n, currency: "USDC" as const, beneficiary: "Merchant" },
  wallet: "wallet_gateway",
  ...{ method: "OFF_RAMP_TO_BANK" as const, destination: "bank_account_123" },
});

/**
 * Waits until background reads have ended. A reader continues to the end of its read even if no caller waits for it.
 */
async function untilNobodyReads(): Promise<void> {
  const nobody = async () =>
    (await database.select().from(transferListScan)).every(({ readUntil }) => readUntil < new Date());
  await until(nobody, { what: "The end of all reading", timeoutMs: 10_000 });
}

/** Retries a look-up like a payout's worker until it has a result. */
async function untilFound(offRamp: OffRamp, reference: string, known?: Known) {
  for (let asked = 1; ; asked++) {
    try {
      return { asked, found: await offRamp.lookUp(reference, known) };
    } catch (error) {
      if (!(error instanceof Error) || error.message !== STILL_READING || asked > 100) throw error;
    }
  }
}

describe("a lookup in a list of thousands of transfers", () => {
  it("continues where it stopped, is shared by all replicas, and never rereads old pages", async () => {
    const { provider, adapter, pages, stop } = open();
    provider.addForeign(2_000, 30 * MINUTE);
    const lost = order();
    const { providerId } = await adapter().create(lost);
    provider.addForeign(2_000);
    provider.faults.delayMs = 10;
    const replicas = [adapter(), adapter()] as const;
    const found = await Promise.all([
      untilFound(replicas[0], lost.reference),
      ...replicas.map((one) => untilFound(one, randomUUID())),
    ]);
    expect(found.map((one) => one.found?.providerId)).to.deep.equal([providerId, undefined, undefined]);
    // The search took more than one look-up. A search that starts during a read requires another read of the recent
    // part of the list.
    expect(Math.max(...found.map(({ asked }) => asked))).to.be.above(1);
    expect(pages()).to.be.within(4_000 / PAGE, 8_000 / PAGE + 6);

    // The process that started a read also finishes it.
    await until(async () => (await database.select().from(transferListScan)).every((one) => !one.beganAt), {
      what: "The list read to its end",
      timeoutMs: 5_000,
    });

    // The last ten minutes may be incomplete. Only they are read again, together with transfers that have the same time
    // as the oldest one.
    const before = pages();
    const young = await untilFound(adapter(), randomUUID());
    expect(young.found).to.equal(undefined);
    // Each look-up that returns before the end has read a page that the next look-up reads again.
    expect(pages() - before).to.be.within(2_000 / PAGE, 2_000 / PAGE + 10 + young.asked);
    expect(await database.$count(transferLookup)).to.equal(0);
    await stop();
  }, 30_000);

  it("is decided as soon as the list reaches the payout's creation time", async () => {
    const { provider, adapter, pages, stop } = open();
    provider.addForeign(2_000, 5 * MINUTE);
    provider.addForeign(50);
    provider.faults.delayMs = 10;
    const notBefore = new Date(Date.now() - MINUTE);
    expect(await adapter(LONG).lookUp(randomUUID(), { notBefore })).to.equal(undefined);
    expect(pages()).to.be.below(10);
    await stop();
  });

  it("does not accept an earlier read as proof of absence", async () => {
    const { provider, adapter, stop } = open();
    provider.addForeign(3_000);
    provider.faults.delayMs = 10;
    const [replica, other] = [adapter(), adapter(LONG)];
    const early = await replica.lookUp(randomUUID()).catch((error: Error) => error.message);
    expect(early).to.equal(STILL_READING);
    const wanted = order();
    const { providerId } = await other.create(wanted);
    expect((await untilFound(replica, wanted.reference)).found?.providerId).to.equal(providerId);
    await stop();
  }, 30_000);

  it("rereads everything if the list has changed", async () => {
    const { provider, adapter, stop } = open();
    provider.addForeign(150, 30 * MINUTE);
    const offRamp = adapter(LONG);
    await offRamp.lookUp(randomUUID());
    await untilNobodyReads();
    await database.update(transferListScan).set({ beganAt: new Date(), lastId: "gone", lastAt: new Date(0) });
    const wanted = order();
    const { providerId } = await offRamp.create(wanted);
    const first = await offRamp.lookUp(wanted.reference).catch((error: Error) => error.message);
    expect(first).to.equal("The provider's list is not sorted by creation time.");
    expect(await offRamp.lookUp(wanted.reference)).to.include({ providerId });
    await stop();
  });

  it("finds a transfer that was ordered after an earlier search found none", async () => {
    const { provider, adapter, stop } = open();
    const offRamp = adapter(LONG);
    const wanted = order();
    for (let i = 0; i < 3; i++) expect(await offRamp.lookUp(wanted.reference)).to.equal(undefined);
    const { providerId } = await offRamp.create(wanted);
    expect(await offRamp.lookUp(wanted.reference)).to.include({ providerId });
    expect(provider.paid().size).to.be.at.most(1);
    await stop();
  });
});
