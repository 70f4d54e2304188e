import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { type Hex, keccak256, toHex, zeroAddress } from "viem";
import { intent } from "#core/db/schema/intents.ts";
import { reportedTransaction } from "#core/db/schema/transactions.ts";
import { createReportFollower } from "#settlement/escrow/follow-transactions.ts";
import { settlementReceipt } from "./support/fake-rpc.ts";
import { CONTRACT, makeWorld, PAYER, type World } from "./support/world.ts";

const SENT = keccak256(toHex("sent"));
const REVERTED = keccak256(toHex("reverted"));
const UNKNOWN = keccak256(toHex("unknown"));

let world: World;
let follow: () => Promise<void>;

beforeAll(async () => {
  const receipt = settlementReceipt({
    orderId: REVERTED,
    offRamp: PAYER,
    amount: 1n,
    contract: CONTRACT,
    txHash: REVERTED,
    block: 1,
  });
  world = await makeWorld({
    answers: {
      eth_getTransactionReceipt: ([hash]) =>
        hash === REVERTED ? { ...receipt, status: "0x0", logs: [] } : null,
      eth_getTransactionByHash: ([hash]) =>
        hash === SENT ? { hash, from: PAYER, to: CONTRACT, value: "0x0", input: "0x", nonce: "0x0" } : null,
    },
  });
  follow = createReportFollower(world.context);
});
afterAll(() => world.close());

async function addReport(hash: Hex, minutesAgo = 0) {
  const made = await world.addIntent();
  await world.context.database.insert(reportedTransaction).values({
    merchantId: sql`(select merchant_id from gateway.intent where id = ${sql.param(made.id, intent.id)})`,
    intentId: made.id,
    hash,
    payer: zeroAddress,
    createdAt: sql`clock_timestamp() - ${minutesAgo} * interval '1 minute'`,
  });
  return {
    ...made,
    async readReport() {
      const [row] = await world.context.database
        .select()
        .from(reportedTransaction)
        .where(eq(reportedTransaction.intentId, made.id));
      return row;
    },
  };
}

describe("a transaction that a payer reported", () => {
  it("has failed when its receipt says so", async () => {
    const { readReport } = await addReport(REVERTED);
    await follow();
    expect((await readReport())?.failed).to.equal(true);
  });

  it("stays pending as long as the chain knows it", async () => {
    const { readReport } = await addReport(SENT, 60);
    await follow();
    expect((await readReport())?.failed).to.equal(false);
  });

  it("is deleted if the chain has not known it for ten minutes", async () => {
    const old = await addReport(UNKNOWN, 11);
    const young = await addReport(UNKNOWN, 9);
    await follow();
    expect(await old.readReport()).to.equal(undefined);
    expect((await young.readReport())?.failed).to.equal(false);
  });

  it("is ignored once the order exists", async () => {
    const { readReport, orderId, terms } = await addReport(UNKNOWN, 11);
    await world.chain.fund(orderId, terms, 1, PAYER);
    await follow();
    expect((await readReport())?.failed).to.equal(false);
  });
});
