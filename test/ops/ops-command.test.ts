// `npm run ops` on a separate database.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import pLimit from "p-limit";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { newId } from "#core/ids.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { PAYOUT_QUEUE, type PayoutJob } from "#settlement/payouts/payout-queue.ts";
import { bridgeTo } from "#test/settlement/support/bridge.ts";
import { relayingChain } from "#test/settlement/support/fake-rpc.ts";
import { insertPayout } from "#test/settlement/support/payouts.ts";
import { CONTRACT, makeWorld, OFF_RAMP, type World } from "#test/settlement/support/world.ts";
import { DEEP } from "#test/support/deep.ts";
import { runScript } from "#test/support/run-script.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld({ answers: relayingChain() });
});
afterAll(() => world.close());

/** The settings that cancel needs in addition to the database. */
const CONFIGURED = {
  ...{ GATEWAY_ENV: "local", RPC_URL: "http://127.0.0.1:1", CHAIN_ID: "31337", CONTRACT_ADDRESS: CONTRACT },
  ...{ TOKENS: JSON.stringify({ USDC: CONTRACT, USDT: CONTRACT, DAI: CONTRACT }) },
  ...{ OPERATOR_KEY: `0x${"4".repeat(64)}`, ARBITER_KEY: `0x${"7".repeat(64)}`, OFF_RAMP_ADDRESS: OFF_RAMP },
  ...{ BASE_URL: "http://localhost", PAYMENT_PAGE_URL: "http://localhost" },
};

const ops = (...args: string[]) => runScript("ops.ts", args, { DATABASE_URL: world.databaseUrl });

async function json<T>(...args: string[]): Promise<T> {
  const { output, errors, exitCode } = await ops(...args, "--json");
  expect(errors).to.equal("");
  expect(exitCode).to.equal(0);
  return JSON.parse(output) as T;
}

async function paidIn(state: "created" | "failed" | "submitted") {
  const made = await world.addIntent();
  const payoutId = await insertPayout(world.context.database, made, {
    destination: "a bank account that nobody reads here",
    state,
    nextAttemptAt: state === "failed" ? null : new Date(Date.now() + 3_600_000),
  });
  return { ...made, payoutId };
}

const audited = async (resourceId: string) =>
  world.context.database
    .select({ actor: auditLog.actor, action: auditLog.action })
    .from(auditLog)
    .where(and(eq(auditLog.resourceId, resourceId), eq(auditLog.actorType, "operations")));

/** Each command is a process, which takes a second to start. */
const limit = pLimit(3);

describe("npm run ops", () => {
  it("prints its usage, and exits with code 2 for unknown commands", async () => {
    const help = await ops("--help");
    expect(help.exitCode).to.equal(0);
    for (const word of ["stuck", "dead", "show", "retry", "refresh", "cancel", "rebroadcast", "redeliver"])
      expect(help.output).to.include(word);
    const rejected = [
      [],
      ["fly"],
      ["show"],
      ["dead", "all"],
      ["dead", "--older", "5"],
      ["stuck", "--older", "x"],
      ["recover", "--apply"],
      ["recover", "--apply", "--by", "Ada"],
      ["recover", "--days", "none"],
    ];
    await limit.map(rejected, async (args) =>
      expect((await ops(...args)).exitCode, args.join(" ")).to.equal(2),
    );
    const changing = ["retry", "work", "refresh", "cancel", "rebroadcast", "redeliver"];
    await limit.map(changing, async (command) => {
      const unnamed = await ops(command, "nobody");
      expect(unnamed.exitCode, command).to.equal(2);
      expect(unnamed.errors, command).to.include("--by");
    });
    const named = (DEEP ? changing : ["retry"]).flatMap((command) =>
      ["\u200b", "system"].map((name) => [command, name] as const),
    );
    await limit.map(named, async ([command, name]) => {
      const unseen = await ops(command, "nobody", "--by", name);
      expect(unseen.exitCode, command).to.equal(2);
      expect(unseen.errors, command).to.include("must name the person");
    });
    await limit.map(["show", "retry", "refresh", "redeliver"], async (command) => {
      const nobody = await ops(command, "nobody", ...(command === "show" ? [] : ["--by", "Ada"]));
      expect(nobody.exitCode, command).to.equal(2);
      expect(nobody.errors).to.match(/^No such [a-z' ]+: 'nobody'/);
    });
    const unknown = await ops("retry", "intent_unknown", "--by", "Ada");
    expect(unknown.exitCode).to.equal(2);
    expect(unknown.errors).to.include("intent_unknown").and.not.to.include(" at ");
  });

  it("lists transactions that are not final", async () => {
    const { relayer, database } = world.context;
    const { orderId } = await world.addIntent();
    const call = await relayer.prepare("settle", [orderId], { functionName: "settle", args: [[]] });
    const { transactionId, hash } = await database.transaction((tx) => relayer.store(tx, call));
    const { transactions } = await json<{ transactions: object[] }>("stuck", "--older", "0");
    expect(transactions).to.have.length(1);
    expect(transactions[0]).to.include({ id: transactionId, purpose: "settle", state: "pending", hash });
    expect((await json<{ transactions: object[] }>("stuck")).transactions).to.deep.equal([]);
  });

  it("lists failed payouts, retries them once, and records it", async () => {
    const { id, payoutId } = await paidIn("failed");
    type Dead = { payouts: { id: string }[] };
    expect((await json<Dead>("dead")).payouts.map((row) => row.id)).to.include(payoutId);
    const { attempts } = await json<{ attempts: string[] }>("retry", id, "--by", "Ada");
    expect(attempts).to.have.length(1);
    expect((await json<Dead>("dead")).payouts.map((row) => row.id)).not.to.include(payoutId);
    expect(await audited(attempts[0] ?? "")).to.deep.equal([{ actor: "Ada", action: "payout.retry" }]);
    const again = await ops("retry", id, "--by", "Ada");
    expect(again.exitCode).to.equal(1);
    expect(again.errors).to.include("No payout");
  });

  it("lists payouts for which the provider rejects every call, with the number of rejections (runbook, Prices that expire)", async () => {
    const { id, payoutId } = await paidIn("created");
    type Dead = { payouts: { id: string; failure: string | null }[] };
    const listed = async () => (await json<Dead>("dead")).payouts.find((row) => row.id === payoutId);
    expect(await listed()).to.equal(undefined);
    await world.context.database.update(payout).set({ declinedCalls: 2 }).where(eq(payout.id, payoutId));
    expect((await listed())?.failure).to.equal("2 calls declined by the provider");
    expect((await ops("show", id)).output).to.include("2 calls declined by the provider");
  });

  it("lists failed jobs and their payouts", async () => {
    const data: PayoutJob = { payoutIds: ["payout_one", "payout_two"] };
    await world.context.database.execute(sql`insert into pgboss.job (name, state, data)
      values (${PAYOUT_QUEUE}, 'failed', ${JSON.stringify(data)}::jsonb)`);
    const { jobs } = await json<{ jobs: object[] }>("dead");
    expect(jobs).to.have.length(1);
    expect(jobs[0]).to.include({ queue: PAYOUT_QUEUE, payouts: "payout_one payout_two" });
  });

  it("makes a payout due immediately", async () => {
    const { payoutId } = await paidIn("submitted");
    await json("refresh", payoutId, "--by", "Ada");
    const [row] = await world.context.database.select().from(payout).where(eq(payout.id, payoutId));
    expect(row?.nextAttemptAt?.getTime()).to.be.at.most(Date.now());
    expect(await audited(payoutId)).to.deep.equal([{ actor: "Ada", action: "payout.refresh" }]);
  });

  describe("cancels a payout", () => {
    let provider: SimulatedProvider;
    beforeAll(() => {
      provider = startProvider({
        webhookUrl: "http://127.0.0.1:1",
        walletAddress: OFF_RAMP,
        minMs: 60_000,
        maxMs: 60_000,
      });
    });
    afterAll(() => provider?.stop());

    const gateway = () => ({
      ...CONFIGURED,
      ...provider.environment,
      DATABASE_URL: world.databaseUrl,
    });
    const cancel = (id: string) => runScript("ops.ts", ["cancel", id, "--by", "Ada"], gateway());

    /** Creates a payout that the provider has accepted. */
    async function accepted() {
      const made = await paidIn("submitted");
      const [row] = await world.context.database.select().from(payout).where(eq(payout.id, made.payoutId));
      const offRamp = bridgeTo(world.context.database, provider);
      const { providerId } = await offRamp.create({
        ...{ reference: row?.reference ?? "", method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" },
        wallet: "wallet_gateway",
        ...{ amount: made.terms.amount, currency: "USDC", beneficiary: "Merchant" },
      });
      await world.context.database
        .update(payout)
        .set({ providerId, method: "OFF_RAMP_TO_BANK", account: offRamp.account })
        .where(eq(payout.id, made.payoutId));
      return { ...made, reference: row?.reference ?? "", providerId };
    }

    it("for which no money was moved, reads its outcome, and records it", async () => {
      const { payoutId, reference, providerId } = await accepted();
      expect(await cancel(payoutId)).to.include({ exitCode: 0, errors: "" });
      const { database } = world.context;
      const found = await bridgeTo(database, provider).lookUp(reference, { providerId });
      expect(found?.state).to.equal("failed");
      const [row] = await database.select().from(payout).where(eq(payout.id, payoutId));
      expect(row?.nextAttemptAt?.getTime()).to.be.at.most(Date.now());
      expect(await audited(payoutId)).to.deep.equal([{ actor: "Ada", action: "payout.cancel" }]);
    });

    it("and reports a transfer that failed for another reason as failed, not as canceled", async () => {
      const { payoutId, reference } = await accepted();
      await provider.carryOut(reference, "undeliverable");
      const failed = await cancel(payoutId);
      expect(failed.exitCode).to.equal(1);
      expect(failed.errors).to.equal(
        "Not canceled: it has failed for another reason (could not be delivered).\n",
      );
    });

    it("and reports if it is too late, or if there is nothing to cancel", async () => {
      const { payoutId, reference } = await accepted();
      await provider.carryOut(reference);
      const late = await cancel(payoutId);
      expect(late.exitCode).to.equal(1);
      expect(late.errors).to.include("Too late: it is completed.");
      const over = await cancel((await paidIn("failed")).payoutId);
      expect(over.exitCode).to.equal(1);
      expect(over.errors).to.include("is failed: only a payout that the provider has accepted");
      expect(await cancel("payout_unknown")).to.include({
        errors: "No such payout: 'payout_unknown'.\n",
        exitCode: 2,
      });
    });
  });

  it("confirms a debit that the provider does not report, and needs its reference", async () => {
    const provider = startProvider({
      ...{ webhookUrl: "http://127.0.0.1:1", walletAddress: OFF_RAMP, minMs: 60_000, maxMs: 60_000 },
    });
    try {
      const { database } = world.context;
      const offRamp = bridgeTo(database, provider);
      const { payoutId, terms } = await paidIn("submitted");
      const [row] = await database.select().from(payout).where(eq(payout.id, payoutId));
      const { providerId } = await offRamp.create({
        ...{ reference: row?.reference ?? "", method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" },
        ...{ wallet: "wallet_gateway", amount: terms.amount, currency: "USDC", beneficiary: "Merchant" },
      });
      await database
        .update(payout)
        .set({
          ...{ providerId, method: "OFF_RAMP_TO_BANK", account: offRamp.account, awaitsFunds: true },
          calledAt: new Date(Date.now() - 3_600_000),
        })
        .where(eq(payout.id, payoutId));
      type Dead = { notDebited: { id: string; transfer: string }[] };
      expect((await json<Dead>("dead")).notDebited).to.have.length(1);
      const gateway = { ...CONFIGURED, ...provider.environment, DATABASE_URL: world.databaseUrl };
      const confirm = (...more: string[]) =>
        runScript("ops.ts", ["confirm-debit", payoutId, "--by", "Ada", ...more], gateway);
      expect(await confirm()).to.include({ exitCode: 2 });
      const early = await confirm("--reference", "0x17");
      expect(early.exitCode).to.equal(1);
      expect(early.errors).to.include("has not debited the wallet");
      await provider.carryOut(row?.reference ?? "", "error");
      expect(await confirm("--reference", "0x17")).to.include({ exitCode: 0, errors: "" });
      expect((await json<Dead>("dead")).notDebited).to.deep.equal([]);
      expect(await audited(payoutId)).to.deep.equal([{ actor: "Ada", action: "payout.confirm_debit" }]);
    } finally {
      await provider.stop();
    }
  });

  it("names the unresponsive account, and changes nothing (runbook, Provider down)", async () => {
    const provider = startProvider({ webhookUrl: "http://127.0.0.1:1", walletAddress: OFF_RAMP });
    try {
      const { database } = world.context;
      const { account } = bridgeTo(database, provider);
      const gateway = {
        ...{ ...CONFIGURED, ...provider.environment, DATABASE_URL: world.databaseUrl },
        OFF_RAMP_TIMEOUT_MS: "500",
      };
      const { payoutId } = await paidIn("submitted");
      await database
        .update(payout)
        .set({ account, wallet: "wallet_gateway", providerId: "transfer_1" })
        .where(eq(payout.id, payoutId));
      for (const fault of [{ down: true }, { down: false, delayMs: 1_000 }]) {
        Object.assign(provider.faults, fault);
        for (const command of ["fail", "cancel"]) {
          const { errors, exitCode } = await runScript("ops.ts", [command, payoutId, "--by", "Ada"], gateway);
          expect(exitCode, command).to.equal(1);
          expect(errors, command)
            .to.include(account)
            .and.not.to.match(/^\s+at /m);
        }
      }
      const [row] = await database.select().from(payout).where(eq(payout.id, payoutId));
      expect(row).to.include({ state: "submitted", leasedUntil: null });
    } finally {
      await provider.stop();
    }
  });

  it("resends an abandoned webhook of any kind, and records it", async () => {
    const { database } = world.context;
    const made = await world.addIntent();
    const [owner] = await database.select().from(intent).where(eq(intent.id, made.id));
    const { merchantId = "" } = owner ?? {};
    const endpointId = newId("we");
    await database.insert(webhookEndpoint).values({
      ...{ id: endpointId, merchantId, mode: "test", url: "https://merchant.example/hook" },
      ...{ enabledEvents: ["*"], secret: Buffer.from("encrypted") },
    });
    for (const intentId of [made.id, null]) {
      const [eventId, id] = [newId("evt"), newId("delivery")];
      const data = { object: { object: "webhook_endpoint", id: endpointId } };
      await database.insert(event).values({
        id: eventId,
        merchantId,
        mode: "test",
        intentId,
        type: "webhook.test",
        decidedBy: id,
        data,
      });
      await database.insert(webhookDelivery).values({
        ...{ id, merchantId, endpointId, eventId, intentId },
        ...{ status: "failed", attempts: 9, nextAttemptAt: null },
      });
      const { deliveries } = await json<{ deliveries: { id: string }[] }>("dead");
      expect(deliveries.map((row) => row.id)).to.include(id);
      await json("redeliver", id, "--by", "Ada");
      const [row] = await database.select().from(webhookDelivery).where(eq(webhookDelivery.id, id));
      expect(row).to.include({ status: "pending", attempts: 0 });
      expect(await audited(id)).to.deep.equal([{ actor: "Ada", action: "webhook.redeliver" }]);
    }
    const unknown = await ops("redeliver", "delivery_unknown", "--by", "Ada");
    expect(unknown.exitCode).to.equal(2);
    expect(unknown.errors).to.include("No such delivery: 'delivery_unknown'");
  });

  it("shows a payment's full history, without its destination", async () => {
    const { id, payoutId } = await paidIn("failed");
    await json("retry", id, "--by", "Ada");
    const { output } = await ops("show", id);
    for (const part of ["created", payoutId, "payout.retry", "by operations"])
      expect(output).to.include(part);
    expect(output).not.to.include("a bank account");
  });
});
