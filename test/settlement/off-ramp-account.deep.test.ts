// A payout belongs to one provider account. It is paid from the wallet that received its settlement, even if another
// wallet is configured later.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import type { Address } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { payout } from "#core/db/schema/payouts.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { DEEP } from "#test/support/deep.ts";
import { runScript } from "#test/support/run-script.ts";
import { bridgeTo } from "./support/bridge.ts";
import type { TestIntent } from "./support/intents.ts";
import { type Payments, startPayments } from "./support/payments.ts";
import { settledWorld, stateOf } from "./support/settled-world.ts";
import { startSettlement } from "./support/settlement-role.ts";
import { OFF_RAMP } from "./support/world.ts";

const TIMES = { minMs: 200, maxMs: 400 };

let payments: Payments;
let first: SimulatedProvider;
let second: SimulatedProvider;
/** Serves both accounts under one URL, as a real provider does. The API key identifies the account. */
let provider: ReturnType<typeof Bun.serve>;
let running: Awaited<ReturnType<typeof startSettlement>> | undefined;

beforeAll(async () => {
  payments = await startPayments({ roles: ["indexer"], env: { OFF_RAMP_TIMEOUT_MS: "1500" } });
  first = payments.stack.provider;
  second = startProvider({
    ...{ webhookUrl: "http://127.0.0.1:1", account: "second", ...TIMES },
    walletAddress: privateKeyToAddress(generatePrivateKey()),
  });
  provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const isSecond = request.headers.get("Api-Key") === second.environment.OFF_RAMP_API_KEY;
      const { OFF_RAMP_API_URL = "" } = (isSecond ? second : first).environment;
      const { method, headers, body, signal } = request;
      const { pathname, search } = new URL(request.url);
      return fetch(OFF_RAMP_API_URL + pathname + search, { method, headers, body, signal });
    },
  });
});
afterEach(async () => {
  await running?.stop();
  Object.assign(first.faults, { down: false, losesAnswers: false });
});
afterAll(async () => {
  await Promise.all([provider?.stop(true), second?.stop()]);
  await payments?.close();
});

/** If undefined, the wallet from the payments' own configuration is recorded. */
let recordedWallet: string | undefined;

/** Records a changed configuration as two people: one requests the change, and the other approves it. */
async function recordChange(environment: Record<string, string>): Promise<void> {
  const migrate = async (...options: string[]) => {
    const { exitCode, errors, output } = await runScript("migrate.ts", options, {
      ...payments.stack.environment,
      ...environment,
    });
    expect(exitCode, errors).to.equal(0);
    return output;
  };
  const asked = await migrate("--change", "--by", "ann", "--reason", "another wallet");
  const [, operation = ""] = /--approve (\d+)/.exec(asked) ?? [];
  await migrate("--approve", operation, "--by", "bob");
}

/** Starts settlement with these configuration changes, after the previous process has exited. */
async function settlement(changes: Record<string, string> = {}) {
  await running?.stop();
  const OFF_RAMP_API_URL = `http://127.0.0.1:${provider.port}`;
  const environment = { ...first.environment, ...changes, OFF_RAMP_API_URL };
  const { OFF_RAMP_ADDRESS = payments.config.offRamp } = changes;
  if (OFF_RAMP_ADDRESS !== (recordedWallet ?? payments.config.offRamp)) await recordChange(environment);
  recordedWallet = OFF_RAMP_ADDRESS;
  running = await startSettlement(payments.stack, environment);
  return running;
}

const payoutOf = async ({ id }: TestIntent) => (await payments.payoutsOf(id))[0];

const reaches = (made: TestIntent, state: string) =>
  until(async () => (await payoutOf(made))?.state === state, {
    what: `The payout being ${state}`,
    timeoutMs: 60_000,
  });

/** @param offRamp the wallet to which the terms settle */
async function released(offRamp: Address = payments.config.offRamp): Promise<TestIntent> {
  const made = await payments.addIntent({ settlementMethod: "OFF_RAMP_TO_BANK" }, { offRamp });
  await payments.fund(made.terms);
  await payments.release(made.terms);
  return made;
}

/** Makes the payout due after a lost response without waiting for the delay, like `npm run ops -- refresh`. */
const isDue = ({ id }: TestIntent) =>
  payments.database.update(payout).set({ nextAttemptAt: new Date() }).where(eq(payout.intentId, id));

/** Creates a payout that the first account has accepted but whose response was lost. */
async function unanswered() {
  first.faults.losesAnswers = true;
  await (await settlement()).works();
  const made = await released();
  await reaches(made, "quarantined");
  await running?.stop();
  first.faults.losesAnswers = false;
  await isDue(made);
  const reference = (await payoutOf(made))?.reference ?? "";
  return { made, reference };
}

/** Returns the number of transfers that the account has with this reference. */
const ordered = (provider: SimulatedProvider, reference: string) =>
  provider.transfers().filter((transfer) => transfer.reference === reference).length;

describe("a payout whose response from the account was lost", () => {
  it("prevents settlement from starting with another account, and is ordered once", async () => {
    const { made, reference } = await unanswered();
    const said = await (await settlement(second.environment)).refusal();
    expect(said).to.include("customer_gateway").and.include("customer_second");
    expect(second.requests()).to.equal(0);
    await (await settlement()).works();
    await reaches(made, "completed");
    expect(ordered(first, reference)).to.equal(1);
  }, 120_000);

  it.skipIf(!DEEP)(
    "prevents settlement from starting if only the key belongs to another account",
    async () => {
      const { made, reference } = await unanswered();
      const { OFF_RAMP_API_KEY = "" } = second.environment;
      const said = await (await settlement({ OFF_RAMP_API_KEY })).refusal();
      expect(said).to.include("OFF_RAMP_API_KEY").and.include("customer_gateway");
      expect(said).not.to.include(OFF_RAMP_API_KEY);
      expect(second.transfers()).to.deep.equal([]);
      await (await settlement()).works();
      await reaches(made, "completed");
      expect(ordered(first, reference)).to.equal(1);
    },
    120_000,
  );

  it.skipIf(!DEEP)(
    "is followed with the account's next key",
    async () => {
      const { made, reference } = await unanswered();
      first.rotateKey();
      await (await settlement()).works();
      await reaches(made, "completed");
      expect(ordered(first, reference)).to.equal(1);
      const row = await payoutOf(made);
      expect(row?.account).to.include("customer_gateway");
    },
    120_000,
  );

  it("is queried only at its own account by a process that runs with a different one", async () => {
    const [one, other] = ["one", "other"].map((account) =>
      startProvider({ webhookUrl: "http://127.0.0.1:1", walletAddress: OFF_RAMP, account, ...TIMES }),
    ) as [SimulatedProvider, SimulatedProvider];
    const { world, ids } = await settledWorld(
      [{ method: "OFF_RAMP_TO_BANK", destination: "lost_answer_account" }],
      (database) => bridgeTo(database, one),
    );
    const { context } = world;
    const [id = ""] = ids;
    await createPayoutHandler(context, () => undefined)(ids);
    expect((await stateOf(context.database, id))?.state).to.equal("quarantined");
    const elsewhere = bridgeTo(context.database, other);
    await elsewhere.verify?.();
    const asked = other.requests();
    await context.database.update(payout).set({ nextAttemptAt: new Date() });
    await createPayoutHandler({ ...context, offRamps: () => elsewhere }, () => undefined)(ids);
    const row = await stateOf(context.database, id);
    expect(row).to.include({ state: "quarantined" });
    expect(row?.blocked).to.include("customer_one");
    expect(row?.nextAttemptAt?.getTime()).to.be.above(Date.now());
    expect(other.requests()).to.equal(asked);
    await Promise.all([one.stop(), other.stop()]);
    await world.close();
  });
});

describe("a payout is paid from the wallet that received its settlement", () => {
  const newAddress = () => privateKeyToAddress(generatePrivateKey());

  /** Returns the first account's wallet that paid the payout; undefined if it was not paid. */
  async function paidFrom(made: TestIntent) {
    const row = await payoutOf(made);
    return first.transfers().find(({ reference }) => reference === row?.reference)?.walletId;
  }

  it("even after the wallet was changed, and later settlements are paid from the new one", async () => {
    await (await settlement()).works();
    await running?.stop();
    const [former, OFF_RAMP_ADDRESS] = [await released(), newAddress()];
    const OFF_RAMP_WALLET_ID = first.addWallet(OFF_RAMP_ADDRESS);
    const later = await released(OFF_RAMP_ADDRESS);
    await (await settlement({ OFF_RAMP_ADDRESS, OFF_RAMP_WALLET_ID })).works();
    await Promise.all([reaches(former, "completed"), reaches(later, "completed")]);
    expect(await paidFrom(former)).to.equal("wallet_gateway");
    expect(await paidFrom(later)).to.equal(OFF_RAMP_WALLET_ID);
  }, 120_000);

  it("or not at all while the account is not known to have that wallet, as the metric, the log and `npm run ops` report", async () => {
    const OFF_RAMP_ADDRESS = newAddress();
    const role = await settlement();
    await role.works();
    const made = await released(OFF_RAMP_ADDRESS);
    const blocked = async () => (await payoutOf(made))?.blocked ?? null;
    const why = await until(blocked, { what: "The payout being blocked", timeoutMs: 60_000 });
    expect(why).to.include(OFF_RAMP_ADDRESS).and.include("customer_gateway");
    expect(await role.metric("payouts_blocked")).to.equal(1);
    expect(role.logged()).to.include(JSON.stringify(why).slice(1, -1));
    const { output } = await runScript("ops.ts", ["dead"], { DATABASE_URL: payments.config.databaseUrl });
    expect(output).to.include(why);
    expect(await paidFrom(made)).to.equal(undefined);

    const OFF_RAMP_WALLET_ID = first.addWallet(OFF_RAMP_ADDRESS);
    const next = await settlement({ OFF_RAMP_ADDRESS, OFF_RAMP_WALLET_ID });
    await next.works();
    await isDue(made);
    await reaches(made, "completed");
    expect(await paidFrom(made)).to.equal(OFF_RAMP_WALLET_ID);
    expect(await next.metric("payouts_blocked")).to.equal(0);
  }, 120_000);

  it.skipIf(!DEEP)(
    "and settlement does not start with a wallet whose address differs from the configured one",
    async () => {
      const OFF_RAMP_ADDRESS = newAddress();
      const said = await (await settlement({ OFF_RAMP_ADDRESS })).refusal();
      expect(said).to.include(OFF_RAMP_ADDRESS).and.include(payments.config.offRamp);
      const OFF_RAMP_WALLET_ID = "wallet_unknown";
      expect(await (await settlement({ OFF_RAMP_WALLET_ID })).refusal()).to.include(OFF_RAMP_WALLET_ID);
    },
    120_000,
  );
});

describe("while the provider does not respond", () => {
  it.skipIf(!DEEP)(
    "settlement starts with previously confirmed settings, and pays when the provider responds again",
    async () => {
      await (await settlement()).works();
      await running?.stop();
      first.faults.down = true;
      await (await settlement()).works();
      const made = await released();
      await reaches(made, "created");
      first.faults.down = false;
      await reaches(made, "completed");
      expect((await payoutOf(made))?.blocked).to.equal(null);
    },
    120_000,
  );

  it("settlement starts with other settings, but does not pay anything out before they are confirmed", async () => {
    await running?.stop();
    first.rotateKey();
    first.faults.down = true;
    await (await settlement()).works();
    const made = await released();
    const blocked = async () => (await payoutOf(made))?.blocked ?? null;
    expect(await until(blocked, { what: "The payout being blocked", timeoutMs: 60_000 })).to.include(
      "not verified",
    );
    first.faults.down = false;
    await reaches(made, "completed");
  }, 120_000);
});
