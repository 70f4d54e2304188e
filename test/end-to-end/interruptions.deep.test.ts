// An operation is interrupted because the API is killed, the chain is unreachable, or a reorg drops the order's block.
// A request with an Idempotency-Key still receives one response, a payment is paid out once, and statuses revert and
// advance again.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import type { Hex } from "viem";
import { transactionAttempt } from "#core/db/schema/transactions.ts";
import { until } from "#scripts/shared/wait.ts";
import { DEEP } from "#test/support/deep.ts";
import { type Severable, severable } from "#test/support/severable.ts";
import {
  type Answer,
  Client,
  type ErrorBody,
  type Escrow,
  type Intent,
  type Proof,
} from "../api/support/client.ts";
import { retrieveEscrow, untilEscrow } from "../api/support/escrow.ts";
import * as pay from "../api/support/payments.ts";
import { expectError } from "../api/support/shapes.ts";
import { type Stack, startStack } from "../support/stack.ts";

const INTERVAL_MS = 200;
const TIMEOUT_MS = 20_000;

let stack: Stack;
let client: Client;
let chain: pay.LocalChain;
let wire: Severable;
let database: Postgres;

beforeAll(async () => {
  stack = await startStack({ roles: ["indexer", "settlement"], blockIntervalMs: INTERVAL_MS });
  chain = pay.createChainClient(stack.rpcUrl);
  wire = await severable(stack.rpcUrl);
  // Lets the test cut the API's connection to the chain.
  stack.environment.RPC_URL = wire.url;
  await stack.restart("api");
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  database = new Postgres({ connectionString: stack.databaseUrl });
  await database.connect();
});
// A failed test may have stopped interval mining.
beforeEach(() => letTimePass());
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await wire?.close();
});

const stopTime = () => pay.mineEvery(chain, 0);
const letTimePass = () => pay.mineEvery(chain, INTERVAL_MS);

const send = <T>(path: string, key: string, body?: object): Promise<Answer<T>> =>
  client.send<T>("POST", path, {
    headers: { "Idempotency-Key": key },
    ...(body === undefined ? {} : { body }),
  });
const isReplay = ({ headers }: Answer<unknown>) => headers.get("idempotent-replayed") === "true";

const untilRows = (text: string, values: unknown[] = []) =>
  until(async () => ((await database.query(text, values)).rowCount ?? 0) > 0, {
    what: text,
    timeoutMs: TIMEOUT_MS,
  });

/** Runs work while this intent's row is locked: an operation on the intent has started but cannot continue. */
async function whileLocked(id: string, work: () => Promise<void>): Promise<void> {
  const locker = new Postgres({ connectionString: stack.databaseUrl });
  await locker.connect();
  try {
    await locker.query("begin");
    await locker.query("select from gateway.intent where id = decode(substr($1, 8), 'hex') for update", [id]);
    await work();
    await locker.query("rollback");
  } finally {
    await locker.end();
  }
}

const untilWaiting = (count: number) =>
  untilRows(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
     group by datname having count(*) >= $1`,
    [count],
  );

/** Simulates a request whose time limit has passed. */
const endLease = (key: string) =>
  database.query("update gateway.idempotency_key set lease_until = now() where key = $1", [key]);

const cancelsOf = async (id: string) =>
  (
    await database.query(
      "select from gateway.audit_log where intent_id = decode(substr($1, 8), 'hex') and action = 'payment_intent.cancel'",
      [id],
    )
  ).rowCount;

describe("the API is killed", () => {
  it("after the effect and before the response: the retry receives the stored response, and there is one effect", async () => {
    const { id } = await pay.fund(client);
    const path = `/payment-intents/${id}/escrow/delivery-proof`;
    const body = { proofHash: pay.HASH_A, submittedBy: pay.newPayer().address };
    const key = randomUUID();
    // No block arrives, so the response waits for the indexer although everything is committed.
    await chain.setAutomine(false);
    await stopTime();
    const lost = send(path, key, body).then(
      () => "answered",
      () => "lost",
    );
    await untilRows("select from gateway.idempotency_key where key = $1 and status = 200", [key]);
    await stack.kill("api");
    expect(await lost).to.equal("lost");
    await chain.setAutomine(true);
    await letTimePass();
    await stack.restart("api");

    const retry = await send<Proof>(path, key, body);
    expect(retry.status, JSON.stringify(retry.body)).to.equal(200);
    expect(isReplay(retry)).to.equal(true);
    await untilEscrow(client, id, { orderStatus: "DELIVERED", actualDeliveryHash: pay.HASH_A });
    expect(await pay.countEvents(chain, stack.contractAddress, "DeliveryProofSubmitted", id)).to.equal(1);
    const receipt = await chain.waitForTransactionReceipt({ hash: retry.body.data.submitTxHash });
    expect(receipt.status).to.equal("success");
    expectError(await send(path, randomUUID(), body), 400, "invalid_status");
  });

  it("before the effect: another process takes over the key after the timeout, and executes the request once", async () => {
    const { id } = await pay.create(client);
    const path = `/payment-intents/${id}/cancel`;
    const key = randomUUID();
    await whileLocked(id, async () => {
      const lost = send(path, key).catch(() => undefined);
      await untilWaiting(1);
      await stack.kill("api");
      await lost;
    });
    await stack.restart("api");
    expect((await pay.retrieve(client, id)).status).to.equal("INITIATED");
    await endLease(key);
    const taken = await send<Intent>(path, key);
    expect(taken.status, JSON.stringify(taken.body)).to.equal(200);
    expect(isReplay(taken)).to.equal(false);
    expect(taken.body.status).to.equal("CANCELED");
    const again = await send<Intent>(path, key);
    expect(isReplay(again)).to.equal(true);
    expect(again.body).to.deep.equal(taken.body);
    expect(await cancelsOf(id)).to.equal(1);
  });
});

describe("a request that is too slow", () => {
  it("commits nothing if another request has executed under its key: there is one effect and one stored response", async () => {
    const { id } = await pay.create(client);
    const path = `/payment-intents/${id}/cancel`;
    const key = randomUUID();
    const answers: Promise<Answer<Intent | ErrorBody>>[] = [];
    await whileLocked(id, async () => {
      answers.push(send(path, key));
      await untilWaiting(1);
      await endLease(key);
      answers.push(send(path, key));
      await untilWaiting(2);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted()).to.deep.equal([200, 503]);
    const again = await send<Intent>(path, key);
    expect(again.status).to.equal(200);
    expect(isReplay(again)).to.equal(true);
    expect(await cancelsOf(id)).to.equal(1);
  });
});

describe("while the chain is unreachable", () => {
  it("an operation returns 503, which is not stored: the same request succeeds later", async () => {
    const { id } = await pay.fund(client);
    const path = `/payment-intents/${id}/escrow/ship`;
    const key = randomUUID();
    await wire.cut();
    expectError(await send(path, key), 503, "service_unavailable");
    await wire.restore();
    const retry = await send<object>(path, key);
    expect(retry.status, JSON.stringify(retry.body)).to.equal(200);
    expect(isReplay(retry)).to.equal(false);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("SHIPPED");
  });
});

/** Restores the earlier chain and mines fewer or more blocks on top than before. */
async function reorganise(snapshot: Hex, blocks: number): Promise<void> {
  await stopTime();
  const { timestamp } = await chain.getBlock();
  await chain.revert({ id: snapshot });
  // Later than every removed block, because an empty block of the same second would be identical to a removed one.
  await chain.setNextBlockTimestamp({ timestamp: timestamp + 1n });
  for (let i = 0; i < blocks; i++) await chain.mine({ blocks: 1 });
}

/** Retries while the service reports that it cannot determine the state. */
const answered = <Body extends object>(ask: () => Promise<Answer<Body>>): Promise<Body> =>
  until(
    async () => {
      const { status, body } = await ask();
      if (status === 503) return null;
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    },
    { what: "An answer", timeoutMs: TIMEOUT_MS },
  );

const look = (id: string): Promise<Intent> => answered(() => client.get<Intent>(`/payment-intents/${id}`));

const untilTrue = (id: string, what: string, isTrue: (intent: Intent) => boolean): Promise<Intent> =>
  until(
    async () => {
      const intent = await look(id);
      return isTrue(intent) ? intent : null;
    },
    { what, timeoutMs: TIMEOUT_MS },
  );

const buyerOf = async (id: string): Promise<unknown> =>
  (await answered(() => client.get<Escrow>(`/payment-intents/${id}/escrow`))).data.buyerAddress;

const inflate = (raw: Buffer) => transactionAttempt.raw.mapFromDriverValue(raw) as Hex;

/** Sends the gateway's own transactions for this order to the chain again, as the network would. */
async function mineAgain(id: string): Promise<void> {
  const { rows } = await database.query<{ raw: Buffer }>(
    `select a.raw from gateway.transaction_attempt a
     join gateway.transaction t on t.id = a.transaction_id
     join gateway.transaction_order o on o.transaction_id = t.id
     where o.order_id = decode(substr($1, 8), 'hex') order by t.nonce, a.created_at`,
    [id],
  );
  expect(rows).not.to.deep.equal([]);
  for (const { raw } of rows) {
    // The gateway may already have resent it.
    await chain.sendRawTransaction({ serializedTransaction: inflate(raw) }).catch(() => undefined);
  }
}

async function payoutsOf(id: string): Promise<number> {
  const { rows } = await database.query(
    "select from mock_bank.transfer where reference in (select reference from gateway.payout where intent_id = decode(substr($1, 8), 'hex'))",
    [id],
  );
  return rows.length;
}

const eventsOf = async (id: string): Promise<string[]> =>
  (
    await database.query<{ type: string }>(
      "select type from gateway.event where intent_id = decode(substr($1, 8), 'hex') order by created_at, id",
      [id],
    )
  ).rows.map(({ type }) => type.replace("payment_intent.", ""));

const untilEvents = (id: string, ...types: string[]) =>
  until(async () => JSON.stringify(await eventsOf(id)).includes(JSON.stringify(types).slice(1, -1)), {
    what: `The events ${types}`,
    timeoutMs: TIMEOUT_MS,
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
    "into %s blocks returns a SUCCEEDED intent to PROCESSING, and advances it again when its transaction is mined again",
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

      // Otherwise the gateway might resend its transaction before the check.
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
        timeoutMs: TIMEOUT_MS,
      });
      expect((await look(intent.id)).status).to.equal("PROCESSING");

      await stack.kill("settlement");
      await reorganise(snapshot, 3);
      await until(async () => (await buyerOf(intent.id)) === null, {
        what: "The order's end",
        timeoutMs: TIMEOUT_MS,
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
      timeoutMs: TIMEOUT_MS,
    });
    expect((await look(intent.id)).status).to.equal("SETTLED");
    await stack.restart("settlement");
    await mineAgain(intent.id);
    await letTimePass();
    await until(async () => (await buyerOf(intent.id)) !== null, {
      what: "The order",
      timeoutMs: TIMEOUT_MS,
    });

    // Another payment completes in the meantime, which leaves enough time for an erroneous second payout.
    const other = await pay.create(client, { autoRelease: true });
    await pay.confirm(client, other);
    await untilTrue(other.id, "SUCCEEDED", ({ status }) => status === "SUCCEEDED");
    await settleOnce(other.id);
    expect((await look(intent.id)).status).to.equal("SETTLED");
    expect(await payoutsOf(intent.id)).to.equal(1);
    expect(await eventsOf(intent.id)).not.to.include("reverted");
  });
});
