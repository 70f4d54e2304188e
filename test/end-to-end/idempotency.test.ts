// An Idempotency-Key survives crashes: whenever the API dies, the retry receives one response and there is one effect.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { until } from "#scripts/shared/wait.ts";
import { type Answer, Client, type ErrorBody, type Intent, type Proof } from "../api/support/client.ts";
import { escrowOf, untilEscrow } from "../api/support/escrow.ts";
import * as pay from "../api/support/payments.ts";
import { expectError } from "../api/support/shapes.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Severable, severable } from "./support/severable.ts";

const INTERVAL_MS = 200;
const PATIENCE_MS = 20_000;

let stack: Stack;
let client: Client;
let chain: pay.LocalChain;
let wire: Severable;
let database: Postgres;

beforeAll(async () => {
  stack = await startStack({ roles: ["indexer", "settlement"], blockIntervalMs: INTERVAL_MS });
  chain = pay.createChainClient(stack.rpcUrl);
  wire = await severable(stack.rpcUrl);
  // The API's connection to the chain can be cut.
  stack.environment.RPC_URL = wire.url;
  await stack.restart("api");
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  database = new Postgres({ connectionString: stack.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await wire?.close();
});

const send = <T>(path: string, key: string, body?: object): Promise<Answer<T>> =>
  client.send<T>("POST", path, {
    headers: { "Idempotency-Key": key },
    ...(body === undefined ? {} : { body }),
  });
const isReplay = ({ headers }: Answer<unknown>) => headers.get("idempotent-replayed") === "true";

const untilRows = (text: string, values: unknown[] = []) =>
  until(async () => ((await database.query(text, values)).rowCount ?? 0) > 0, {
    what: text,
    timeoutMs: PATIENCE_MS,
  });

/** While this intent's row is locked, an operation on it has started but cannot continue. */
async function whileLocked(id: string, work: () => Promise<void>): Promise<void> {
  const locker = new Postgres({ connectionString: stack.databaseUrl });
  await locker.connect();
  try {
    await locker.query("begin");
    await locker.query("select from gateway.intent where id = $1 for update", [id]);
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

/** As if a request's time limit had passed. */
const endLease = (key: string) =>
  database.query("update gateway.idempotency_key set lease_until = now() where key = $1", [key]);

const cancelsOf = async (id: string) =>
  (
    await database.query(
      "select from gateway.audit_log where intent_id = $1 and action = 'payment_intent.cancel'",
      [id],
    )
  ).rowCount;

describe("the API is killed", () => {
  it("after the effect and before the response: the retry receives the stored response, and there is one effect", async () => {
    const { id } = await pay.fund(client);
    const path = `/payment-intents/${id}/escrow/delivery-proof`;
    const body = { proofHash: pay.HASH_A, submittedBy: pay.newPayer().address };
    const key = randomUUID();
    // No block arrives, so the response waits for the indexer while everything is committed.
    await chain.setAutomine(false);
    await pay.mineEvery(chain, 0);
    const lost = send(path, key, body).then(
      () => "answered",
      () => "lost",
    );
    await untilRows("select from gateway.idempotency_key where key = $1 and status = 200", [key]);
    await stack.kill("api");
    expect(await lost).to.equal("lost");
    await chain.setAutomine(true);
    await pay.mineEvery(chain, INTERVAL_MS);
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

  it("before the effect: another takes the key over after the timeout, and executes it once", async () => {
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
  it("and is overtaken under its key commits nothing: there is one effect and one stored response", async () => {
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
  it("an operation answers 503, which is not stored: the same request succeeds later", async () => {
    const { id } = await pay.fund(client);
    const path = `/payment-intents/${id}/escrow/ship`;
    const key = randomUUID();
    await wire.cut();
    expectError(await send(path, key), 503, "service_unavailable");
    await wire.mend();
    const retry = await send<object>(path, key);
    expect(retry.status, JSON.stringify(retry.body)).to.equal(200);
    expect(isReplay(retry)).to.equal(false);
    expect((await escrowOf(client, id)).orderStatus).to.equal("SHIPPED");
  });
});
