// Operators' settings that apply to every replica: kill switches, each for one kind of work, and hourly limits.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { transactionOrder } from "#core/db/schema/transactions.ts";
import type { OrderId } from "#core/ids.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { approve, ask } from "#scripts/cli/ops/approve.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { listControls, turn } from "#scripts/cli/ops/controls.ts";
import { until } from "#scripts/shared/wait.ts";
import { createResolver } from "#settlement/escrow/resolve-transactions.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { writeControl } from "#settlement/payouts/read-controls.ts";
import { relayingChain } from "./support/fake-rpc.ts";
import { gullibleBank, openBook, paidTimes } from "./support/gullible-bank.ts";
import { insertPayout, type NewPayout } from "./support/payouts.ts";
import { elapse, working } from "./support/work.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

const OBEYED_MS = 5_000;

let world: World;
const answers = relayingChain();
beforeAll(async () => {
  answers.eth_blockNumber = () => "0x20";
  world = await makeWorld({
    answers,
    offRamps: (database) => () => gullibleBank(database),
  });
  await openBook(world.context.database);
  await world.chain.head(20);
});
afterAll(() => world.close());

const stop = (name: string) => turn(world.context.database, name, "a drill", "Ada");
const resume = (name: string) => turn(world.context.database, name, undefined, "Ada");

async function released() {
  const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.change(made.orderId, 2, { status: 3, released: made.terms.amount });
  return made;
}

async function settled(more: Partial<NewPayout> = {}): Promise<string> {
  const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.settle(made.orderId, made.terms, 10);
  return insertPayout(world.context.database, made, more);
}

const stateOf = async (id: string) => {
  const [row] = await world.context.database.select().from(payout).where(eq(payout.id, id));
  return row;
};

async function payNow(pay: (ids: string[]) => Promise<void>, ids: string[]): Promise<void> {
  await world.context.database
    .update(payout)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(payout.state, "created"));
  await pay(ids);
}

const isPaid = async (id: string) => (await stateOf(id))?.state === "completed";

describe("each replica reacts within five seconds, however recently it has read the switch, when operators switch off", () => {
  it("payouts", async () => {
    const replicas = [1, 2].map(() => createPayoutHandler(world.context, () => undefined));
    for (const pay of replicas) await payNow(pay, [await settled()]);
    await stop("payouts");
    const stoppedAt = Date.now();
    for (const pay of replicas) {
      await until(
        async () => {
          const id = await settled();
          await payNow(pay, [id]);
          return !(await isPaid(id));
        },
        { what: "A payout that is not made", timeoutMs: OBEYED_MS },
      );
    }
    expect(Date.now() - stoppedAt).to.be.lessThan(OBEYED_MS);
    const waiting = await settled();
    await payNow(replicas[0] as (typeof replicas)[0], [waiting]);
    expect(await stateOf(waiting)).to.include({ state: "created", providerId: null });
    await resume("payouts");
    await until(
      async () => {
        await payNow(replicas[1] as (typeof replicas)[0], [waiting]);
        return isPaid(waiting);
      },
      { what: "The payout made", timeoutMs: OBEYED_MS },
    );
  });

  it("settling, while relaying continues", async () => {
    const replicas = [1, 2].map(() => working(world.context, "settle"));
    const sent = (orderId: OrderId) =>
      world.context.database.$count(
        transactionOrder,
        and(eq(transactionOrder.orderId, orderId), eq(transactionOrder.purpose, "settle")),
      );
    let orderId: OrderId = "0x";
    const settleOne = async (settle: (typeof replicas)[number]) => {
      ({ orderId } = await released());
      await settle();
      return (await sent(orderId)) === 1;
    };
    for (const settle of replicas) expect(await settleOne(settle)).to.equal(true);
    await stop("settling");
    const stoppedAt = Date.now();
    for (const settle of replicas) {
      const what = "An order that is not settled";
      await until(async () => !(await settleOne(settle)), { what, timeoutMs: OBEYED_MS });
    }
    expect(Date.now() - stoppedAt).to.be.lessThan(OBEYED_MS);
    const call = await world.context.relayer.prepare("refund", [], { functionName: "settle", args: [[]] });
    await world.context.database.transaction((tx) => world.context.relayer.store(tx, call));
    await resume("settling");
    await until(
      async () => {
        await elapse(world.context);
        for (const settle of replicas) await settle();
        return (await sent(orderId)) === 1;
      },
      { what: "The settlement", timeoutMs: OBEYED_MS },
    );
  });

  it("relaying: nothing is signed or broadcast until it is on again", async () => {
    const { relayer, database, client, deployment, config } = world.context;
    const replicas = [relayer, new Relayer(database, client, deployment, config)];
    const call = await relayer.prepare("refund", [], { functionName: "settle", args: [[]] });
    const stored = await database.transaction((tx) => relayer.store(tx, call));
    const broadcasts = async (replica: Relayer) => {
      const sentBefore = answers.sent.length;
      await replica.broadcast(stored);
      return answers.sent.length > sentBefore;
    };
    for (const replica of replicas) expect(await broadcasts(replica)).to.equal(true);
    await stop("relaying");
    const stoppedAt = Date.now();
    const refusal = await database
      .transaction((tx) => relayer.store(tx, call))
      .catch((error: Error) => error.message);
    expect(refusal).to.include("Relaying is switched off. Nothing was lost");
    for (const replica of replicas) {
      const what = "A transaction that is not broadcast";
      await until(async () => !(await broadcasts(replica)), { what, timeoutMs: OBEYED_MS });
    }
    expect(Date.now() - stoppedAt).to.be.lessThan(OBEYED_MS);
    const before = answers.sent.length;
    await createResolver(relayer, { confirmations: 5, stuckAfterMs: 0 })();
    expect(answers.sent).to.have.length(before);
    const id = await settled();
    await payNow(
      createPayoutHandler(world.context, () => undefined),
      [id],
    );
    expect(await isPaid(id)).to.equal(true);
    await resume("relaying");
    for (const replica of replicas) {
      await until(() => broadcasts(replica), { what: "The transaction broadcast", timeoutMs: OBEYED_MS });
    }
  });

  it("and every change is in the audit log, with the operator's name", async () => {
    const rows = await world.context.database
      .select({
        ...{ actor: auditLog.actor, action: auditLog.action, what: auditLog.resourceId },
        metadata: auditLog.metadata,
      })
      .from(auditLog)
      .where(sql`${auditLog.action} like 'control.%'`);
    const what = ["payouts", "relaying", "settling"];
    expect(rows).to.have.deep.members(
      what.flatMap((name) => [
        { actor: "Ada", action: "control.stopped", what: name, metadata: { reason: "a drill" } },
        { actor: "Ada", action: "control.resumed", what: name, metadata: {} },
      ]),
    );
    await stop("payouts");
    expect((await listControls(world.context.database))[2]).to.include({
      name: "payouts",
      value: "off: a drill",
    });
    await resume("payouts");
  });
});

describe("payouts beyond the hourly limit wait for approval", () => {
  const parts = () => ({
    ...{ database: world.context.database, offRamps: async () => world.context.offRamps },
    feeBearer: "merchant" as const,
    chain: async () => world.context,
  });

  for (const limit of ["merchant_hour", "account_hour"] as const) {
    it(`by ${limit.replace("_hour", "")}`, async () => {
      const { database } = world.context;
      const asked = { subject: limit, arguments: { amount: "250" }, by: "Ada" };
      const { operation, waits } = await ask(parts(), CONTROLLED, "limit", asked);
      expect(waits).to.equal(true);
      await approve(parts(), CONTROLLED, operation, "Grace");
      await database.update(payout).set({ admittedAt: null });
      const ids = [await settled(), await settled(), await settled()];
      const pay = createPayoutHandler(world.context, () => undefined);
      const before = (await paidTimes(database)).size;
      for (const id of ids) await payNow(pay, [id]);
      expect((await paidTimes(database)).size).to.equal(before + 2);
      const [, , third = ""] = ids;
      expect((await stateOf(third))?.blocked).to.include("npm run ops -- allow");
      await writeControl(database, limit, undefined, "Ada");
      await payNow(
        createPayoutHandler(world.context, () => undefined),
        [third],
      );
      expect(await isPaid(third)).to.equal(false);
      await ask(parts(), CONTROLLED, "allow", { subject: third, arguments: {}, by: "Ada" });
      await payNow(pay, [third]);
      expect(await isPaid(third)).to.equal(true);
      expect((await stateOf(third))?.blocked).to.equal(null);
    });
  }

  it("even if two replicas order concurrently", async () => {
    const { database } = world.context;
    await writeControl(database, "merchant_hour", "250", "Ada");
    await database.update(payout).set({ admittedAt: null });
    const ids = await Promise.all(Array.from({ length: 6 }, () => settled()));
    const before = (await paidTimes(database)).size;
    const replicas = [1, 2, 3].map(() => createPayoutHandler(world.context, () => undefined));
    await Promise.all(replicas.map((pay, i) => pay(ids.slice(2 * i, 2 * i + 2))));
    expect((await paidTimes(database)).size).to.equal(before + 2);
    await writeControl(database, "merchant_hour", undefined, "Ada");
  });
});
