// A merchant can configure their own webhook endpoints, and nobody else's.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { Client, type ErrorBody } from "#test/api/support/client.ts";
import { startAnotherApi } from "#test/support/another-api.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { addEndpoint, type Endpoint, type List, sendTest } from "../api/support/webhook-endpoints.ts";

let stack: SharedStack;
let client: Client;
let other: Client;

beforeAll(async () => {
  stack = await startAnotherApi(await sharedStack(), { WEBHOOK_ALLOW_PRIVATE: "false" });
  [client, other] = stack.merchants.map(({ apiKey }) => new Client(stack.baseUrl, apiKey)) as [
    Client,
    Client,
  ];
});
afterAll(() => stack?.stop());

const URL_A = "https://example.com/hook";

describe("a webhook endpoint", () => {
  it("subscribes to everything by default", async () => {
    const endpoint = await addEndpoint(client, URL_A);
    expect(endpoint).to.deep.include({
      object: "webhook_endpoint",
      url: URL_A,
      enabledEvents: ["*"],
      status: "enabled",
      description: null,
    });
    expect(endpoint.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it("shows its secret only when it is created, and the database does not contain it in plain text", async () => {
    const { id, secret } = await addEndpoint(client, URL_A, { description: "Orders" });
    const answers = [
      await client.get(`/webhook-endpoints/${id}`),
      await client.get("/webhook-endpoints"),
      await client.post(`/webhook-endpoints/${id}`, { description: "All orders" }),
      await client.get("/audit-logs?action=webhook_endpoint.create"),
    ];
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(JSON.stringify(body)).not.to.contain("whsec_");
    }
    const sql = new Sql({ connectionString: stack.databaseUrl });
    await sql.connect();
    const { rows } = await sql.query(
      "select * from gateway.webhook_endpoint where id = substr($1, 4)::uuid",
      [id],
    );
    await sql.end();
    expect(rows[0].secret.toString("latin1")).not.to.contain(secret.slice(6));
  });

  it("is created once despite a retry, which receives the same secret although it is stored encrypted", async () => {
    const key = { "Idempotency-Key": "an-endpoint" };
    const first = await client.post<Endpoint>("/webhook-endpoints", { url: URL_A }, key);
    const second = await client.post<Endpoint>("/webhook-endpoints", { url: URL_A }, key);
    expect(second.headers.get("idempotent-replayed")).to.equal("true");
    expect(second.body).to.deep.equal(first.body);
    const sql = new Sql({ connectionString: stack.databaseUrl });
    await sql.connect();
    const { rows } = await sql.query("select body from gateway.idempotency_key where key = 'an-endpoint'");
    await sql.end();
    expect(rows).to.have.length(1);
    expect(rows[0].body).not.to.contain("whsec_");
  });

  it("is listed newest first, updated and deleted", async () => {
    const [a, b] = [await addEndpoint(client, URL_A), await addEndpoint(client, `${URL_A}/b`)];
    const page = await client.get<List<Endpoint>>("/webhook-endpoints?limit=1");
    expect(page.body.data.map(({ id }) => id)).to.deep.equal([b.id]);
    expect(page.body.has_more).to.equal(true);
    const next = await client.get<List<Endpoint>>(`/webhook-endpoints?limit=1&starting_after=${b.id}`);
    expect(next.body.data.map(({ id }) => id)).to.deep.equal([a.id]);
    const change = { url: `${URL_A}/a`, enabledEvents: ["payout.*"], status: "disabled" };
    const { body } = await client.post<Endpoint>(`/webhook-endpoints/${a.id}`, change);
    expect(body).to.deep.include({ ...change, disabledReason: "merchant" });
    const deleted = await client.send("DELETE", `/webhook-endpoints/${a.id}`);
    expect(deleted.body as unknown).to.deep.equal({ id: a.id, object: "webhook_endpoint", deleted: true });
    expect((await client.get(`/webhook-endpoints/${a.id}`)).status).to.equal(404);
  });

  it("is rejected with the reason if it is invalid", async () => {
    const wrong: [object, string][] = [
      [{}, "url"],
      [{ url: "example.com" }, "url"],
      [{ url: "ftp://example.com" }, "url"],
      [{ url: "http://127.0.0.1:3000" }, "url"],
      [{ url: "http://169.254.169.254/latest" }, "url"],
      [{ url: "https://[::127.0.0.1]/" }, "url"],
      [{ url: "https://[::a9fe:a9fe]/latest" }, "url"],
      [{ url: "https://metadata.google.internal/" }, "url"],
      [{ url: "https://user:word@example.com" }, "url"],
      [{ url: URL_A, enabledEvents: [] }, "enabledEvents"],
      [{ url: URL_A, enabledEvents: ["payment_intent.paid"] }, "enabledEvents.0"],
      [{ url: URL_A, secret: "whsec_mine" }, "secret"],
    ];
    for (const [body, param] of wrong) {
      const answer = await client.post<ErrorBody>("/webhook-endpoints", body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body.error.param, JSON.stringify(body)).to.equal(param);
    }
  });

  it("is inaccessible to others on all routes", async () => {
    const endpoint = await addEndpoint(client, URL_A);
    const { id: delivery, eventId: event } = await sendTest(client, endpoint);
    const path = `/webhook-endpoints/${endpoint.id}`;
    const routes: [string, string, object?][] = [
      ["GET", path],
      ["POST", path, { description: "mine now" }],
      ["DELETE", path],
      ["POST", `${path}/rotate-secret`, {}],
      ["POST", `${path}/test`, {}],
      ["GET", `${path}/deliveries`],
      ["POST", `${path}/deliveries/${delivery}/redeliver`, {}],
      ["GET", `/webhook-endpoints?starting_after=${endpoint.id}`],
      ["GET", `/events/${event}`],
      ["GET", `/events?starting_after=${event}`],
    ];
    const nobody = new Client(stack.baseUrl);
    for (const [method, route, body] of routes) {
      const sent = body === undefined ? {} : { body };
      expect((await other.send(method, route, sent)).status, `${method} ${route}`).to.equal(403);
      expect((await nobody.send(method, route, sent)).status, `${method} ${route}`).to.equal(401);
      const missing = route.replaceAll(/(we|evt)_[0-9a-f]+/g, "$1_0");
      expect((await client.send(method, missing, sent)).status, `${method} ${missing}`).to.equal(404);
    }
    expect((await other.get<List<Endpoint>>("/webhook-endpoints")).body.data).to.deep.equal([]);
    expect((await other.get<List<object>>("/events")).body.data).to.deep.equal([]);
    expect((await client.get(path)).status).to.equal(200);
  });
});
