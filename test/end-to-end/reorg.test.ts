// A reorg drops the order's block: the intent's status goes back and forward again, and it is paid out once.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import type { Hex } from "viem";
import { until } from "#scripts/shared/wait.ts";
import { DEEP } from "#test/support/deep.ts";
import { type Answer, Client, type Escrow, type Intent } from "../api/support/client.ts";
import * as pay from "../api/support/payments.ts";
import { type Stack, startStack } from "../support/stack.ts";

const INTERVAL_MS = 200;
const PATIENCE_MS = 20_000;

let stack: Stack;
let client: Client;
let chain: pay.LocalChain;
let database: Postgres;

beforeAll(async () => {
  stack = await startStack({ blockIntervalMs: INTERVAL_MS });
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  chain = pay.createChainClient(stack.rpcUrl);
  database = new Postgres({ connectionString: stack.databaseUrl });
  await database.connect();
});
// A failed test may have stopped it.
beforeEach(() => letTimePass());
afterAll(async () => {
  await database?.end();
  await stack?.stop();
});

const stopTime = () => pay.mineEvery(chain, 0);
const letTimePass = () => pay.mineEvery(chain, INTERVAL_MS);

/** The earlier chain with other blocks on top: fewer than before, or more. */
async function reorganise(snapshot: Hex, blocks: number): Promise<void> {
  await stopTime();
  await chain.revert({ id: snapshot });
  for (let i = 0; i < blocks; i++) await chain.mine({ blocks: 1 });
}

/** Ignores the moments in which the service reports that it cannot know. */
const answered = <Body extends object>(ask: () => Promise<Answer<Body>>): Promise<Body> =>
  until(
    async () => {
      const { status, body } = await ask();
      if (status === 503) return null;
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    },
    { what: "An answer", timeoutMs: PATIENCE_MS },
  );

const look = (id: string): Promise<Intent> => answered(() => client.get<Intent>(`/payment-intents/${id}`));

const untilTrue = (id: string, what: string, isTrue: (intent: Intent) => boolean): Promise<Intent> =>
  until(
    async () => {
      const intent = await look(id);
      return isTrue(intent) ? intent : null;
    },
    { what, timeoutMs: PATIENCE_MS },
  );

const buyerOf = async (id: string): Promise<unknown> =>
  (await answered(() => client.get<Escrow>(`/payment-intents/${id}/escrow`))).data.buyerAddress;

/** Puts the gateway's own transactions for this order back on the chain, as the network would. */
async function mineAgain(id: string): Promise<void> {
  const { rows } = await database.query<{ raw: Hex }>(
    `select a.raw from gateway.transaction_attempt a
     join gateway.transaction t on t.id = a.transaction_id
     join gateway.transaction_order o on o.transaction_id = t.id
     where o.order_id = $1 order by t.nonce, a.created_at`,
    [id.replace("intent_", "0x")],
  );
  expect(rows).not.to.deep.equal([]);
  for (const { raw } of rows) {
    // The gateway may have been faster.
    await chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
  }
}

async function payoutsOf(id: string): Promise<number> {
  const { rows } = await database.query(
    "select from mock_bank.transfer where reference in (select reference from gateway.payout where intent_id = $1)",
    [id],
  );
  return rows.length;
}

const eventsOf = async (id: string): Promise<string[]> =>
  (
    await database.query<{ type: string }>(
      "select type from gateway.event where intent_id = $1 order by created_at, id",
      [id],
    )
  ).rows.map(({ type }) => type.replace("payment_intent.", ""));

const untilEvents = (id: string, ...types: string[]) =>
  until(async () => JSON.stringify(await eventsOf(id)).includes(JSON.stringify(types).slice(1, -1)), {
    what: `The events ${types}`,
    timeoutMs: PATIENCE_MS,
  });

async function settleOnce(id: string): Promise<void> {
  await answered(() => pay.prove(client, id));
  await untilTrue(id, "SETTLED", (intent) => intent.status === "SETTLED");
  expect(await payoutsOf(id)).to.equal(1);
}

describe("a reorg that drops the order's block", () => {
  it.skipIf(!DEEP).each([
    ["fewer", 1],
    ["more", 30],
  ])(
    "into %s blocks takes a SUCCEEDED intent back, and forward again when its transaction is mined again",
    async (_how, blocks) => {
      const intent = await pay.create(client, { autoRelease: true });
      const snapshot = await chain.snapshot();
      await pay.confirm(client, intent);
      const { transactionHash } = await untilTrue(
        intent.id,
        "SUCCEEDED",
        ({ status }) => status === "SUCCEEDED",
      );
      await untilEvents(intent.id, "succeeded");

      // Otherwise the gateway might have resent its transaction before the check.
      await stack.kill("settlement");
      await reorganise(snapshot, blocks);
      const back = await untilTrue(intent.id, "PROCESSING", ({ status }) => status === "PROCESSING");
      expect(back).to.include({ settlementStatus: "PENDING", transactionHash });
      expect(back.phases.at(-1)).to.include({ phase: "BLOCKCHAIN_CONFIRMATION", status: "IN_PROGRESS" });
      expect(await buyerOf(intent.id)).to.equal(null);
      await stack.restart("settlement");
      await untilEvents(intent.id, "succeeded", "reverted");

      await mineAgain(intent.id);
      await letTimePass();
      await untilTrue(intent.id, "SUCCEEDED again", ({ status }) => status === "SUCCEEDED");
      await untilEvents(intent.id, "succeeded", "reverted", "succeeded");
      await settleOnce(intent.id);
    },
  );

  it.skipIf(!DEEP)(
    "removes a PROCESSING intent's order, and the gateway resends its transaction automatically",
    async () => {
      const intent = await pay.create(client, { autoRelease: true });
      await stopTime();
      const snapshot = await chain.snapshot();
      await pay.confirm(client, intent);
      await until(async () => (await buyerOf(intent.id)) !== null, {
        what: "The order",
        timeoutMs: PATIENCE_MS,
      });
      expect((await look(intent.id)).status).to.equal("PROCESSING");

      await stack.kill("settlement");
      await reorganise(snapshot, 3);
      await until(async () => (await buyerOf(intent.id)) === null, {
        what: "The order's end",
        timeoutMs: PATIENCE_MS,
      });
      expect((await look(intent.id)).status).to.equal("PROCESSING");
      await stack.restart("settlement");
      await letTimePass();
      await untilTrue(intent.id, "SUCCEEDED", ({ status }) => status === "SUCCEEDED");
      await settleOnce(intent.id);
    },
  );

  it("leaves a SETTLED intent settled, and does not repeat its payout when everything is mined again", async () => {
    const intent = await pay.create(client, { autoRelease: true });
    const snapshot = await chain.snapshot();
    await pay.confirm(client, intent);
    await untilTrue(intent.id, "SUCCEEDED", ({ status }) => status === "SUCCEEDED");
    await settleOnce(intent.id);

    await stack.kill("settlement");
    await reorganise(snapshot, 2);
    await until(async () => (await buyerOf(intent.id)) === null, {
      what: "The order's end",
      timeoutMs: PATIENCE_MS,
    });
    expect((await look(intent.id)).status).to.equal("SETTLED");
    await stack.restart("settlement");
    await mineAgain(intent.id);
    await letTimePass();
    await until(async () => (await buyerOf(intent.id)) !== null, {
      what: "The order",
      timeoutMs: PATIENCE_MS,
    });

    // Meanwhile another payment completes, which leaves enough time for a second payout, if there were one.
    const other = await pay.create(client, { autoRelease: true });
    await pay.confirm(client, other);
    await untilTrue(other.id, "SUCCEEDED", ({ status }) => status === "SUCCEEDED");
    await settleOnce(other.id);
    expect((await look(intent.id)).status).to.equal("SETTLED");
    expect(await payoutsOf(intent.id)).to.equal(1);
    expect(await eventsOf(intent.id)).not.to.include("reverted");
  });
});
