// Parts of the gateway die while a payment is under way: it completes all the same, once, and no answer was wrong.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { until } from "#scripts/local/wait.ts";
import { Client, type Intent } from "../api/support/client.ts";
import * as pay from "../api/support/payments.ts";
import { expectError } from "../api/support/shapes.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Severable, severable } from "./support/severable.ts";
import { watch } from "./support/watch.ts";

const PATIENCE_MS = 40_000;
const ROLES = ["indexer", "api", "settlement"] as const;

let stack: Stack;
let client: Client;
let chain: pay.LocalChain;
let wire: Severable;

beforeAll(async () => {
  stack = await startStack({ roles: [] });
  // The tests' Postgres commits before it writes; one that is to survive a crash must not.
  await ask(`alter database "${new URL(stack.databaseUrl).pathname.slice(1)}" set synchronous_commit = on`);
  wire = await severable(stack.databaseUrl);
  stack.environment.DATABASE_URL = wire.url;
  await Promise.all(ROLES.map((role) => stack.restart(role)));
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  chain = pay.chainOf(stack.rpcUrl);
});
afterAll(async () => {
  await stack?.stop();
  await wire?.close();
});

/** By a connection of its own, not by the wire. */
async function ask<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  const database = new Postgres({ connectionString: stack.databaseUrl });
  // The test of a crash ends it.
  database.on("error", () => undefined);
  await database.connect();
  try {
    return (await database.query<T>(text, values)).rows;
  } finally {
    await database.end();
  }
}

const statusOf = async (id: string): Promise<string | null> => {
  const answer = await client.get<Intent>(`/payment-intents/${id}`).catch(() => undefined);
  return answer?.status === 200 ? answer.body.status : null;
};

const untilSeen = (id: string, status: string) =>
  until(async () => (await statusOf(id)) === status, {
    what: `${id} being ${status}`,
    timeoutMs: PATIENCE_MS,
  });

/** As a client does that meets an outage: the same again until it is answered. */
async function proveAtLast(id: string): Promise<void> {
  await until(
    async () => {
      const answer = await pay.prove(client, id).catch(() => undefined);
      // A proof that was on its way already needs no second.
      return answer?.status === 200 || JSON.stringify(answer?.body).includes("invalid_status");
    },
    { what: "The proof being taken", timeoutMs: PATIENCE_MS },
  );
}

async function expectOnce(id: string): Promise<void> {
  for (const event of ["OrderCreated", "DeliveryProofSubmitted", "OrderSettled"] as const) {
    expect(await pay.countEvents(chain, stack.contractAddress, event, id), event).to.equal(1);
  }
  const transfers = await ask(
    "select from mock_bank.transfer where reference in (select reference from gateway.payout where intent_id = $1)",
    [id],
  );
  expect(transfers).to.have.length(1);
}

describe("a payment completes, once, although", () => {
  it.each(ROLES)("the %s is killed after the confirmation, and again after the proof", async (role) => {
    const intent = await pay.create(client, { autoRelease: true });
    await pay.confirm(client, intent);
    const first = watch(client, intent.id, "PROCESSING");
    await stack.kill(role);
    await stack.restart(role);
    await untilSeen(intent.id, "SUCCEEDED");
    await first.stop();

    await proveAtLast(intent.id);
    const second = watch(client, intent.id, "SUCCEEDED");
    await stack.kill(role);
    await stack.restart(role);
    await untilSeen(intent.id, "SETTLED");
    const { answers } = await second.stop();
    expect(answers).to.be.above(0);
    await expectOnce(intent.id);
  });

  it("Postgres crashes after the confirmation, and again after the proof", async () => {
    // A backend that is killed makes Postgres end every other, and recover from its log.
    const crash = async () => {
      const [row] = await ask<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'api'",
      );
      if (!row) throw new Error("The API has no connection.");
      process.kill(row.pid, "SIGKILL");
      await until(
        () =>
          ask("select 1").then(
            () => true,
            () => false,
          ),
        { what: "Postgres", timeoutMs: PATIENCE_MS },
      );
    };
    const intent = await pay.create(client, { autoRelease: true });
    await pay.confirm(client, intent);
    const watched = watch(client, intent.id, "PROCESSING");
    await crash();
    // A role may end with the database; its supervisor brings it back, as here.
    await Promise.all(ROLES.map((role) => stack.restart(role)));
    await untilSeen(intent.id, "SUCCEEDED");
    await proveAtLast(intent.id);
    await crash();
    await Promise.all(ROLES.map((role) => stack.restart(role)));
    await untilSeen(intent.id, "SETTLED");
    await watched.stop();
    await expectOnce(intent.id);
  });
});

describe("a restarting indexer", () => {
  it("never makes a SUCCEEDED intent look less, also when nobody but the API has seen it", async () => {
    await stack.kill("settlement");
    const { id } = await pay.fund(client);
    const watched = watch(client, id, "SUCCEEDED");
    await stack.kill("indexer");
    await stack.restart("indexer");
    await untilSeen(id, "SUCCEEDED");
    const { answers, unavailable, refused } = await watched.stop();
    expect(answers).to.be.above(0);
    expect(unavailable).to.be.above(0);
    expect(refused).to.equal(0);
    await stack.restart("settlement");
  });
});

describe("while the database is away", () => {
  it("every operation answers 503 in the spec's shape, and the service comes back by itself", async () => {
    const intent = await pay.create(client, { autoRelease: true });
    await wire.cut();
    const { id } = intent;
    for (const [method, path, body] of [
      ["POST", "/payment-intents", pay.GOOD],
      ["GET", `/payment-intents/${id}`],
      ["GET", `/payment-intents/public/${id}`],
      ["GET", `/payment-intents/${id}/escrow`],
      ["POST", `/payment-intents/${id}/confirm`, {}],
      ["POST", `/payment-intents/${id}/escrow/delivery-proof`, {}],
      ["POST", `/payment-intents/public/${id}/transaction-hash`, { transactionHash: pay.HASH_A }],
    ] as const) {
      expectError(await client.send(method, path, { body }), 503, "service_unavailable");
    }
    await wire.mend();
    await until(async () => (await statusOf(id)) !== null, { what: "The API", timeoutMs: PATIENCE_MS });
    await stack.restart("indexer");
    await until(async () => (await statusOf(id)) !== null, { what: "The indexer", timeoutMs: PATIENCE_MS });
    await pay.confirm(client, intent);
    await untilSeen(id, "SUCCEEDED");
  });
});
