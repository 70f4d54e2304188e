// Only the account that was asked for a payout knows whether it has paid. Settlement therefore does not start without
// that account.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import pino from "pino";
import { zeroHash } from "viem";
import { ConfigError } from "#core/config/config-error.ts";
import { connect, type Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type Deployment, readDeployment, recordDeployment } from "#core/deployment/deployment.ts";
import type { OffRamp, OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import { startRole } from "#settlement/role.ts";
import { chainFor, clientOn, factsFor } from "#test/deployment/support/fake-chain.ts";
import { testDatabase } from "#test/support/stack.ts";
import { insertIntent } from "./support/intents.ts";
import { insertPayout, type NewPayout } from "./support/payouts.ts";
import { configFor, MERCHANT, OFF_RAMP } from "./support/world.ts";

type Config = ReturnType<typeof configFor>;

let config: Config;
let database: Database;
let deployment: Deployment;
beforeAll(async () => {
  const url = await testDatabase();
  config = configFor(url);
  const facts = factsFor(config, zeroHash);
  const client = clientOn(chainFor(facts));
  await recordDeployment(url, facts, { client, environment: "local", verifiedBy: "a test" });
  database = connect(url, { application: "test", max: 1 });
  deployment = await readDeployment(database, config);
  await database.insert(merchant).values({ id: MERCHANT, name: "Merchant", account: OFF_RAMP });
});
beforeEach(async () => {
  await database.delete(payout);
});
afterAll(() => database?.$client.end());

async function addPayout(more: Partial<NewPayout>): Promise<void> {
  const parties = { merchantId: MERCHANT, payee: OFF_RAMP, operator: config.operator, offRamp: OFF_RAMP };
  await insertPayout(database, await insertIntent(database, deployment, parties), more);
}

/**
 * Starts settlement with one account.
 * @returns the reason why it does not start, or "contacted" if the account was contacted first
 */
async function start(account: string) {
  const contacted = Promise.withResolvers<"contacted">();
  const refused = Promise.withResolvers<Error>();
  const verify = async () => {
    contacted.resolve("contacted");
    throw new ConfigError("The test ends here.");
  };
  const offRamp = { account, hasWallets: false, verify } as unknown as OffRamp;
  const offRamps: OffRamps = Object.assign(() => offRamp, { all: [offRamp] });
  const role = startRole(config, pino({ level: "silent" }), refused.resolve, { offRamps: () => offRamps });
  try {
    const first = await Promise.race([contacted.promise, refused.promise]);
    return { first, said: (await refused.promise).message };
  } finally {
    await role.stop();
  }
}

describe("settlement", () => {
  it.each(["created", "submitted", "quarantined"] as const)(
    "does not start with another account while a payout is %s, and does not contact any account",
    async (state) => {
      await addPayout({ state, account: "first" });
      const { first, said } = await start("second");
      expect(first).to.be.instanceOf(ConfigError);
      expect(said).to.contain('"first" (1)').and.contain('Configured accounts: "second"');
    },
  );

  it("starts with the account of its open payouts", async () => {
    await addPayout({ state: "quarantined", account: "first" });
    expect((await start("first")).first).to.equal("contacted");
  });

  it("starts with another account when the payouts of the first are complete", async () => {
    await addPayout({ state: "completed", account: "first", nextAttemptAt: null });
    expect((await start("second")).first).to.equal("contacted");
  });
});
