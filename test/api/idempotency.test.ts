// Idempotency-Key (spec, "Limits"): a retry within 24 hours receives the same response and has no further effect.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { until } from "#scripts/shared/wait.ts";
import { startAnotherApi } from "../support/another-api.ts";
import { fetchDocumented } from "../support/documented.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import { post, retrieveEscrow } from "./support/escrow.ts";
import { EVERY_WRITE } from "./support/every-write.ts";
import { create, fund, GOOD, HASH_A, newPayer, retrieve, untilStatus } from "./support/payments.ts";
import { documentOf, originOf, routesOf } from "./support/routes.ts";
import { expectError } from "./support/shapes.ts";

type Raw = { status: number; text: string; replayed: string | null };

let stack: SharedStack;
let client: Client;
let stranger: Client;
let database: Postgres;
/** An API behind a proxy that reports the caller's address. */
let proxied: SharedStack;

beforeAll(async () => {
  stack = await sharedStack();
  proxied = await startAnotherApi(
    { ...stack, stop: async () => undefined },
    { TRUSTED_PROXIES: "127.0.0.0/8,::1/128" },
  );
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  database = new Postgres({ connectionString: stack.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await Promise.all([database?.end(), proxied?.stop()]);
  await stack?.stop();
});

/** Sends a request and returns the exact bytes of the response. */
async function send(path: string, key: string, body?: unknown, by = client, method = "POST"): Promise<Raw> {
  const response = await fetchDocumented(
    new Request(`${by.baseUrl}${path}`, {
      method,
      headers: {
        "Idempotency-Key": key,
        ...by.credentials(),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const replayed = response.headers.get("idempotent-replayed");
  return { status: response.status, text: await response.text(), replayed };
}

const asAnswer = ({ status, text }: Raw) => ({
  status,
  body: JSON.parse(text) as ErrorBody,
  headers: new Headers({ "content-type": "application/json" }),
});

describe("a retry receives the same response byte for byte, and its key does not accept a different body:", () => {
  it("every POST and PATCH route is covered", async () => {
    const writes = routesOf(await documentOf(stack)).filter(({ method }) =>
      ["POST", "PATCH"].includes(method),
    );
    expect(Object.keys(EVERY_WRITE)).to.have.members(
      writes.map(({ method, template }) => `${method} ${template}`),
    );
  });

  it.each(Object.entries(EVERY_WRITE))("%s", async (route, prepare) => {
    const [method] = route.split(" ", 1);
    const { path, body, other, by: own } = await prepare(client, stack);
    const by = own ?? (path.includes("/public/") ? new Client(stack.baseUrl) : client);
    const key = randomUUID();
    const first = await send(path, key, body, by, method);
    expect(first.status, first.text).to.equal(200);
    expect(first.replayed).to.equal(null);
    const again = [await send(path, key, body, by, method), await send(path, key, body, by, method)];
    for (const retry of again) expect(retry).to.deep.equal({ ...first, replayed: "true" });
    const refused = await send(path, key, other, by, method);
    expect(refused.replayed).to.equal(null);
    // A body that the route does not accept at all gets the route's own error.
    if ("other" in other) expect(refused.status, refused.text).to.equal(400);
    else expectError(asAnswer(refused), 400, "invalid_request", "Idempotency-Key");
  });
});

describe("a hundred concurrent requests with one key", () => {
  it("create one intent, and receive one response", async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 100 }, () => send("/payment-intents", key, GOOD)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(answers.filter(({ replayed }) => replayed === null)).to.have.length(1);
    const { id, status } = JSON.parse(answers[0]?.text ?? "") as Intent;
    expect(status).to.equal("INITIATED");
    const other = (await create(client)).id;
    const { body } = await client.get<{ data: Intent[] }>("/payment-intents?limit=2");
    expect(body.data.map((intent) => intent.id)).to.deep.equal([other, id]);
  });

  it("do not block others while the first is in progress", async () => {
    const { id } = await create(client);
    const key = randomUUID();
    await database.query("begin");
    await database.query("select from gateway.intent where id = decode(substr($1, 8), 'hex') for update", [
      id,
    ]);
    const answers = Array.from({ length: 100 }, () => send(`/payment-intents/${id}/cancel`, key));
    await until(
      async () =>
        (await database.query("select from gateway.idempotency_key where key = $1", [key])).rowCount === 1,
      { what: "The first of them", timeoutMs: 10_000 },
    );
    // More requests than there are connections, concurrently and then one after another.
    const others = await Promise.all(Array.from({ length: 20 }, () => create(client)));
    for (const other of others) await retrieve(client, other.id);
    await database.query("rollback");
    const all = await Promise.all(answers);
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(all[0]?.status).to.equal(200);
    expect(all.filter(({ replayed }) => replayed === null)).to.have.length(1);
  });
});

describe("a stored response", () => {
  it("is never a rejection: a corrected request with the same key takes effect (A5)", async () => {
    const key = randomUUID();
    const wrong = { ...GOOD, amount: "-1" };
    for (let i = 0; i < 2; i++) {
      expect(await send("/payment-intents", key, wrong)).to.include({ status: 400, replayed: null });
    }
    const first = await send("/payment-intents", key, GOOD);
    expect(first).to.include({ status: 200, replayed: null });
    expect(await send("/payment-intents", key, GOOD)).to.deep.equal({ ...first, replayed: "true" });
    expect((await send("/payment-intents", key, wrong)).status).to.equal(400);
    const path = `/payment-intents/intent_${"0".repeat(64)}/cancel`;
    for (let i = 0; i < 2; i++) expect(await send(path, key)).to.include({ status: 404, replayed: null });
  });

  it("is never a rejection due to the payment's state: a retry succeeds once the state allows it (A5)", async () => {
    const payer = newPayer();
    const intent = await create(client);
    const path = `/payment-intents/${intent.id}/escrow/ship`;
    const key = randomUUID();
    expect((await send(path, key)).status).to.equal(400);
    const signature = await payer.signTypedData(intent.data.typedData);
    await send(`/payment-intents/${intent.id}/confirm`, key, { signature, payerAddress: payer.address });
    await untilStatus(client, intent.id, "SUCCEEDED");
    const first = await send(path, key);
    expect(first).to.include({ status: 200, replayed: null });
    expect(await send(path, key)).to.deep.equal({ ...first, replayed: "true" });
  });

  it("is never a 401 or 403", async () => {
    const key = randomUUID();
    const nobody = new Client(stack.baseUrl);
    const wrong = new Client(stack.baseUrl, `sk_test_${"x".repeat(43)}`);
    for (const [by, status] of [
      [nobody, 401],
      [wrong, 403],
    ] as const) {
      for (let i = 0; i < 2; i++) {
        expect(await send("/payment-intents", key, GOOD, by)).to.include({ status, replayed: null });
      }
    }
    expect(await send("/payment-intents", key, GOOD)).to.include({ status: 200, replayed: null });
    const { id } = await create(client);
    for (let i = 0; i < 2; i++) {
      const foreign = await send(`/payment-intents/${id}/cancel`, key, undefined, stranger);
      expect(foreign).to.include({ status: 403, replayed: null });
    }
    const { rows } = await database.query("select from gateway.idempotency_key where key = $1", [key]);
    expect(rows).to.have.length(1);
  });
});

describe("a key", () => {
  it("belongs to one merchant: the same key of another merchant identifies a different request", async () => {
    const key = randomUUID();
    const mine = await send("/payment-intents", key, GOOD);
    const theirs = await send("/payment-intents", key, { ...GOOD, amount: "7.00" }, stranger);
    expect(theirs).to.include({ status: 200, replayed: null });
    expect((JSON.parse(theirs.text) as Intent).id).not.to.equal((JSON.parse(mine.text) as Intent).id);
  });

  it("belongs to one path: on another path, it identifies a different request", async () => {
    const key = randomUUID();
    const [one, two] = [await create(client), await create(client)];
    expect(await send(`/payment-intents/${one.id}/cancel`, key)).to.include({ status: 200, replayed: null });
    expect(await send(`/payment-intents/${two.id}/cancel`, key)).to.include({ status: 200, replayed: null });
  });

  it("is the same under /v1 and /api/v1", async () => {
    const key = randomUUID();
    const first = await send("/payment-intents", key, GOOD);
    const short = new Client(`${originOf(stack)}/v1`, client.apiKey);
    expect(await send("/payment-intents", key, GOOD, short)).to.deep.equal({ ...first, replayed: "true" });
  });

  it("is the same with a trailing slash, and with encoded characters in the path (A5)", async () => {
    const key = randomUUID();
    const first = await send("/payment-intents", key, GOOD);
    expect(await send("/payment-intents/", key, GOOD)).to.deep.equal({ ...first, replayed: "true" });
    const { id } = await create(client);
    const canceled = await send(`/payment-intents/${id}/cancel`, key);
    expect(await send(`/payment-intents/${id.replace("_", "%5F")}/cancel/`, key)).to.deep.equal({
      ...canceled,
      replayed: "true",
    });
  });

  it("covers the meaning of a body, not its formatting (A5)", async () => {
    const key = randomUUID();
    const first = await client.send<Intent>("POST", "/payment-intents", {
      body: JSON.stringify(GOOD, null, 4),
      headers: { "Idempotency-Key": key },
    });
    const turned = Object.fromEntries(Object.entries(GOOD).reverse());
    const again = await send("/payment-intents", key, turned);
    expect(again).to.include({ status: 200, replayed: "true" });
    expect(JSON.parse(again.text)).to.deep.equal(first.body);
  });

  it("is separate per caller on public routes (A5)", async () => {
    const { id } = await create(client);
    const key = randomUUID();
    const path = `/payment-intents/public/${id}/payer`;
    const from = async (address: string, payerAddress: string) =>
      fetchDocumented(
        new Request(`${proxied.baseUrl}${path}`, {
          method: "POST",
          headers: {
            "Idempotency-Key": key,
            "Content-Type": "application/json",
            "X-Forwarded-For": address,
          },
          body: JSON.stringify({ payerAddress }),
        }),
      );
    const [one, two] = [newPayer().address, newPayer().address];
    const answers = [
      await from("203.0.113.1", one),
      await from("203.0.113.2", two),
      await from("203.0.113.1", one),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get("idempotent-replayed"))).to.deep.equal([
      null,
      null,
      "true",
    ]);
  });

  it("is valid for 24 hours", async () => {
    const key = randomUUID();
    const age = (interval: string) =>
      database.query("update gateway.idempotency_key set created_at = now() - $2::interval where key = $1", [
        key,
        interval,
      ]);
    const first = await send("/payment-intents", key, GOOD);
    await age("23 hours 59 minutes");
    expect(await send("/payment-intents", key, GOOD)).to.deep.equal({ ...first, replayed: "true" });
    await age("24 hours 1 minute");
    const later = await send("/payment-intents", key, { ...GOOD, amount: "7.00" });
    expect(later).to.include({ status: 200, replayed: null });
    expect(later.text).not.to.equal(first.text);
  });

  it("has 1 to 255 printable characters", async () => {
    expect((await send("/payment-intents", "k".repeat(255), GOOD)).status).to.equal(200);
    for (const key of ["k".repeat(256), "two words", "\u00fc"]) {
      expectError(
        asAnswer(await send("/payment-intents", key, GOOD)),
        400,
        "invalid_request",
        "Idempotency-Key",
      );
    }
  });

  it("is ignored by GET", async () => {
    const { id } = await create(client);
    const key = { "Idempotency-Key": randomUUID() };
    expect((await client.get<Intent>(`/payment-intents/${id}`, key)).body.status).to.equal("INITIATED");
    await send(`/payment-intents/${id}/cancel`, randomUUID());
    const { body, headers } = await client.get<Intent>(`/payment-intents/${id}`, key);
    expect(body.status).to.equal("CANCELED");
    expect(headers.get("idempotent-replayed")).to.equal(null);
  });

  it("keeps the original response, although the payment has changed since", async () => {
    const payer = newPayer();
    const { id } = await fund(client, {}, payer);
    const path = `/payment-intents/${id}/escrow/delivery-proof`;
    const body = { proofHash: HASH_A, submittedBy: newPayer().address };
    const key = randomUUID();
    const first = await send(path, key, body);
    expect(first.status, first.text).to.equal(200);
    const dispute = { reason: "Nothing came.", raisedBy: payer.address };
    expect((await post(client, id, "escrow/dispute", dispute)).status).to.equal(200);
    expect(await send(path, key, body)).to.deep.equal({ ...first, replayed: "true" });
    expect((await send(path, randomUUID(), body)).status).to.equal(400);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("DISPUTED");
  });
});
