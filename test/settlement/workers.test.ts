// The role's workers run on the indexer's notifications only, because the poll interval is longer than these tests.
import { afterEach, describe, it } from "bun:test";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Hex, numberToHex } from "viem";
import { settlement } from "#core/db/chain.ts";
import { connect } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { leaderLease, workItem } from "#core/db/schema/work.ts";
import { until } from "#scripts/shared/wait.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { Workers } from "#settlement/workers.ts";
import { addCopies } from "./support/copies.ts";
import { settlementReceipt } from "./support/fake-rpc.ts";
import { CONTRACT, makeWorld, PAYER, type World } from "./support/world.ts";

const NO_POLL_MS = 600_000;
const SETTLED_IN = 10;

let world: World | undefined;
let workers: Workers | undefined;
afterEach(async () => {
  await workers?.stop();
  await world?.close();
});

describe("the settlement's workers", () => {
  it("plan a payout in the block that confirms its settlement, not in the next one", async () => {
    const receipts = new Map<Hex, unknown>();
    let tip = SETTLED_IN;
    world = await makeWorld({
      answers: {
        eth_blockNumber: () => numberToHex(tip),
        eth_getTransactionReceipt: ([hash]) => receipts.get(hash as Hex) ?? null,
      },
    });
    const { context, chain } = world;
    const { database, config } = context;
    const { orderId, terms } = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
    await chain.fund(orderId, terms, 1, PAYER);
    await chain.settle(orderId, terms, SETTLED_IN);
    for (const row of await database.select().from(settlement)) {
      receipts.set(row.txHash, settlementReceipt({ ...row, contract: CONTRACT }));
    }
    await chain.head(tip);
    const unpolled = { ...context, config: { ...config, pollIntervalMs: NO_POLL_MS } };
    workers = new Workers(unpolled, new Problems(context.log));
    await workers.start();

    const confirmedIn = SETTLED_IN + config.chain.confirmations - 1;
    const waits = async () => {
      const items = await database.select().from(workItem).where(eq(workItem.orderId, orderId));
      return items.some(
        ({ purpose, clock, due }) => purpose === "plan_payouts" && clock === "block" && due === confirmedIn,
      );
    };
    await until(waits, { what: "The payout's plan, waiting for its block", timeoutMs: 10_000 });
    tip = confirmedIn - 1;
    await chain.head(tip);
    const hasRead = async () => (await database.select().from(deployment))[0]?.highWaterBlock === tip;
    await until(hasRead, { what: "The last block before it, read", timeoutMs: 10_000 });
    expect(await database.select().from(payout)).to.have.length(0);

    tip = confirmedIn;
    await chain.head(tip);
    const planned = async () => (await database.select().from(payout)).length === 1;
    await until(planned, { what: "The payout", timeoutMs: 10_000 });
  }, 40_000);

  it("end the full scan at its next page when another replica leads, and scan over a connection of their own", async () => {
    world = await makeWorld({ answers: { eth_blockNumber: () => numberToHex(100) } });
    const { context, chain, databaseUrl } = world;
    await addCopies(context.database, await world.addIntent(), { count: 1_500, order: null });
    await chain.head(100);
    const scanReads = connect(databaseUrl, { application: "scan", plans: "kept", max: 1 });
    let queries = 0;
    scanReads.$client.on("acquire", () => queries++);
    const unpolled = { ...context, config: { ...context.config, pollIntervalMs: NO_POLL_MS } };
    try {
      workers = new Workers(unpolled, new Problems(context.log), scanReads);
      await workers.start();
      await until(async () => queries >= 10, { what: "The first pages", timeoutMs: 10_000 });
      await context.database
        .update(leaderLease)
        .set({ holder: "another replica", expiresAt: new Date(Date.now() + 86_400_000) });
      // The loss is noticed at the next renewal, and the pages follow each other every two seconds.
      await delay(3_000);
      const before = queries;
      await delay(6_000);
      expect(queries).to.equal(before);
    } finally {
      await workers?.stop();
      workers = undefined;
      await scanReads.$client.end();
    }
  }, 40_000);
});
