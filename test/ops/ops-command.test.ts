// `npm run ops`: the command line, on a database of its own.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import { auditLog, payout } from "#core/db/schema.ts";
import { newId } from "#core/ids.ts";
import { blockHash } from "#test/settlement/support/chain-tables.ts";
import { relayingChain } from "#test/settlement/support/fake-rpc.ts";
import { makeWorld, type World } from "#test/settlement/support/world.ts";
import { runScript } from "#test/support/run-script.ts";
import { testDatabase } from "#test/support/stack.ts";

let world: World;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  world = await makeWorld(databaseUrl, { answers: relayingChain() });
});
afterAll(() => world.close());

const ops = (...args: string[]) => runScript("ops.ts", args, { DATABASE_URL: databaseUrl });

async function json<T>(...args: string[]): Promise<T> {
  const { output, errors, exitCode } = await ops(...args, "--json");
  expect(errors).to.equal("");
  expect(exitCode).to.equal(0);
  return JSON.parse(output) as T;
}

async function paidIn(state: "failed" | "submitted") {
  const made = await world.addIntent();
  const id = newId("payout");
  await world.context.database.insert(payout).values({
    id,
    reference: newId("ref"),
    intentId: made.id,
    settlementId: `${made.orderId}-1`,
    settlementTxHash: blockHash(0),
    attempt: 1,
    method: "OFF_RAMP_MOCK",
    destination: "a bank account that nobody reads here",
    amount: made.terms.amount,
    currency: "USDC",
    state,
    nextLookAt: state === "failed" ? null : sql`clock_timestamp() + interval '1 hour'`,
  });
  return { ...made, payoutId: id };
}

const audited = async (resourceId: string) =>
  world.context.database
    .select({ actor: auditLog.actorType, action: auditLog.action })
    .from(auditLog)
    .where(and(eq(auditLog.resourceId, resourceId), eq(auditLog.actorType, "operations")));

describe("npm run ops", () => {
  it("says what it can do, and ends with 1 for what it cannot", async () => {
    const help = await ops("--help");
    expect(help.exitCode).to.equal(0);
    for (const word of ["stuck", "dead", "show", "retry", "look", "rebroadcast", "redeliver"])
      expect(help.output).to.include(word);
    expect((await ops("fly")).exitCode).to.equal(1);
    const unknown = await ops("retry", "intent_unknown");
    expect(unknown.exitCode).to.equal(1);
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

  it("lists failed payouts, tries them again once, and writes down that it did", async () => {
    const { id, payoutId } = await paidIn("failed");
    type Dead = { payouts: { id: string }[] };
    expect((await json<Dead>("dead")).payouts.map((row) => row.id)).to.include(payoutId);
    const { attempts } = await json<{ attempts: string[] }>("retry", id);
    expect(attempts).to.have.length(1);
    expect((await json<Dead>("dead")).payouts.map((row) => row.id)).not.to.include(payoutId);
    expect(await audited(attempts[0] ?? "")).to.deep.equal([{ actor: "operations", action: "payout.retry" }]);
    const again = await ops("retry", id);
    expect(again.exitCode).to.equal(1);
    expect(again.errors).to.include("No payout");
  });

  it("makes a payout due at once", async () => {
    const { payoutId } = await paidIn("submitted");
    await json("look", payoutId);
    const [row] = await world.context.database.select().from(payout).where(eq(payout.id, payoutId));
    expect(row?.nextLookAt?.getTime()).to.be.at.most(Date.now());
    expect(await audited(payoutId)).to.deep.equal([{ actor: "operations", action: "payout.look" }]);
  });

  it("shows a payment's whole trail, without where the money goes", async () => {
    const { id, payoutId } = await paidIn("failed");
    await json("retry", id);
    const { output } = await ops("show", id);
    for (const part of ["created", payoutId, "payout.retry", "by operations"])
      expect(output).to.include(part);
    expect(output).not.to.include("a bank account");
  });
});
