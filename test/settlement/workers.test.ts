// The role's workers run on the indexer's notifications only, because the poll interval is longer than these tests.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Hex, numberToHex } from "viem";
import { settlement } from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { workItem } from "#core/db/schema/work.ts";
import { until } from "#scripts/shared/wait.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { Workers } from "#settlement/workers.ts";
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
});
