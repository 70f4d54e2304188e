// The audit log of a running gateway records who did what. The API and settlement roles log in as a member of
// gateway_app that owns no tables (docs/audit-log.md).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { until } from "#scripts/shared/wait.ts";
import { Client } from "#test/api/support/client.ts";
import { confirm, create, fund, GOOD, newPayer, prove, untilStatus } from "#test/api/support/payments.ts";
import type { List } from "#test/api/support/webhook-endpoints.ts";
import { runScript } from "#test/support/run-script.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

type Entry = {
  id: string;
  action: string;
  actor: { type: string; id: string | null };
  paymentIntentId: string | null;
  resourceId: string | null;
  from: string | null;
  to: string | null;
  requestId: string | null;
  metadata: Record<string, unknown>;
  created: number;
};

let stack: SharedStack;
let client: Client;
/** Connection as the tables' owner. */
let sql: Sql;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  sql = new Sql({ connectionString: stack.databaseUrl });
  await sql.connect();
});
afterAll(async () => {
  await sql?.end();
  await stack?.stop();
});

async function list(query: string, caller = client): Promise<Entry[]> {
  const { status, body } = await caller.get<List<Entry>>(`/audit-logs?limit=100&${query}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.data;
}

/** Lists the entries of an intent, oldest first. */
const ofIntent = async (id: string) => (await list(`paymentIntentId=${id}`)).reverse();

describe("the audit log", () => {
  it("records who did what to a payment, from which status to which, in which request", async () => {
    const intent = await create(client, { autoRelease: true, metadata: { orderId: "audit-1" } });
    const payer = newPayer();
    const anyone = new Client(stack.baseUrl);
    await anyone.post(`/payment-intents/public/${intent.id}/payer`, { payerAddress: payer.address });
    await confirm(client, intent, payer);
    await untilStatus(client, intent.id, "SUCCEEDED");
    await prove(client, intent.id);
    await untilStatus(client, intent.id, "SETTLED", "FINAL");
    const entries = await until(
      async () => {
        const all = await ofIntent(intent.id);
        return all.some(({ action }) => action === "payment_intent.settled") ? all : null;
      },
      { what: "the payment's end being logged", timeoutMs: 20_000 },
    );
    const named = (action: string) => entries.find((entry) => entry.action === action);
    expect(named("payment_intent.create")).to.deep.include({ from: null, to: "INITIATED" });
    expect(named("payment_intent.create")?.actor).to.deep.include({ type: "api_key" });
    expect(named("payment_intent.create")?.actor.id).to.match(/^key_/);
    expect(named("payment_intent.create")?.requestId).to.match(/^req_/);
    expect(named("payment_intent.attach_payer")?.actor).to.deep.equal({ type: "payer", id: payer.address });
    expect(named("payment_intent.confirm")).to.deep.include({ to: "PROCESSING" });
    expect(named("payment_intent.processing")?.actor).to.deep.equal({ type: "payer", id: payer.address });
    expect(named("payment_intent.succeeded")).to.deep.include({ from: "PROCESSING", to: "SUCCEEDED" });
    expect(named("payment_intent.succeeded")?.actor.type).to.equal("system");
    expect(named("delivery_proof.submit")?.resourceId).to.match(/^proof_/);
    expect(named("payout.created")).to.deep.include({ to: "created" });
    expect(named("payout.completed")).to.deep.include({ from: "submitted", to: "completed" });
    const ofPayouts = entries.flatMap(({ action }) => (action.startsWith("payout.") ? [action] : []));
    expect(ofPayouts.sort(), "each once").to.deep.equal([...new Set(ofPayouts)]);
    expect(new Set(entries.map(({ id }) => id)).size).to.equal(entries.length);
    for (const { metadata } of entries) expect(metadata).to.deep.equal({ orderId: "audit-1" });
    expect(JSON.stringify(entries)).not.to.contain("bank_account_123");
  });

  it("contains each transition once: its event, and no row of its own", async () => {
    const { id } = await fund(client, { autoRelease: true });
    await prove(client, id);
    await untilStatus(client, id, "SETTLED", "FINAL");
    const { body } = await client.get<List<{ id: string; type: string }>>(
      `/events?limit=100&paymentIntentId=${id}`,
    );
    const listed = body.data.filter(({ type }) => !type.startsWith("payout."));
    const events = new Map(listed.map((event) => [event.id, event.type]));
    expect([...events.values()]).to.include.members(["payment_intent.succeeded", "delivery_proof.submitted"]);
    const entries = await ofIntent(id);
    for (const [event, type] of events) {
      expect(
        entries.filter(({ action }) => action === type).map((entry) => entry.id),
        type,
      ).to.include(event);
    }
    const types = new Set(events.values());
    expect(entries.filter(({ action }) => types.has(action))).to.have.length(events.size);
    const { rows } = await sql.query(
      "select action from gateway.audit_log where intent_id = decode(substr($1, 8), 'hex') and action = any($2)",
      [id, [...types]],
    );
    expect(rows).to.deep.equal([]);
  });

  it("is read page by page in both directions, across events and operations", async () => {
    const { id } = await fund(client, { autoRelease: true });
    await prove(client, id);
    await untilStatus(client, id, "SETTLED", "FINAL");
    const all = (await list(`paymentIntentId=${id}`)).map((entry) => entry.id);
    const kinds = all.map((entry) => entry.split("_", 1)[0]);
    expect(new Set(kinds)).to.deep.equal(new Set(["audit", "evt"]));
    const one = async (cursor: string) =>
      (await client.get<List<Entry>>(`/audit-logs?limit=1&paymentIntentId=${id}&${cursor}`)).body.data[0]?.id;
    for (const [index, entry] of all.entries()) {
      const older = all[index + 1];
      if (older === undefined) break;
      expect(await one(`starting_after=${entry}`), `after ${entry}`).to.equal(older);
      expect(await one(`ending_before=${older}`), `before ${older}`).to.equal(entry);
    }
  });

  it("has no entry for a payout's event, whose states have entries of their own", async () => {
    const { id } = await fund(client, { autoRelease: true });
    await prove(client, id);
    await untilStatus(client, id, "SETTLED", "FINAL");
    const find = async () =>
      (await client.get<List<{ id: string }>>(`/events?type=payout.*&paymentIntentId=${id}`)).body.data[0];
    const event = await until(find, { what: "the payout's event", timeoutMs: 20_000 });
    const completed = await list(`action=payout.completed&paymentIntentId=${id}`);
    expect(completed.map((entry) => entry.id.split("_", 1)[0])).to.deep.equal(["audit"]);
    expect((await client.get(`/audit-logs?starting_after=${event?.id}`)).status).to.equal(404);
  });

  it("is searchable by action and actor, of events as well", async () => {
    const { id } = await fund(client);
    await untilStatus(client, id, "SUCCEEDED");
    const actions = async (query: string) =>
      (await list(`paymentIntentId=${id}&${query}`)).map(({ action }) => action);
    const succeeded = await until(
      async () => {
        const found = await actions("action=payment_intent.succeeded");
        return found.length > 0 ? found : null;
      },
      { what: "the success being logged", timeoutMs: 20_000 },
    );
    expect(succeeded).to.deep.equal(["payment_intent.succeeded"]);
    expect(await actions("actor=payer")).to.include("payment_intent.processing");
    expect(await actions("actor=system")).to.include("payment_intent.succeeded");
    expect(await actions("actor=system")).not.to.include("payment_intent.processing");
  });

  it("carries the caller's own request id", async () => {
    const { body } = await client.post<{ id: string }>("/payment-intents", GOOD, {
      "X-Request-Id": "mine-42",
    });
    expect((await ofIntent(body.id))[0]).to.deep.include({ requestId: "mine-42" });
  });

  it("is searchable by metadata: text, number or boolean", async () => {
    const { id } = await create(client, { metadata: { orderId: "audit-2", pieces: 3, gift: true } });
    for (const query of ["metadata[orderId]=audit-2", "metadata[pieces]=3", "metadata[gift]=true"]) {
      const found = await list(query);
      expect(
        found.map((entry) => entry.paymentIntentId),
        query,
      ).to.deep.equal([id]);
    }
    expect(await list("metadata[orderId]=audit-2&action=payment_intent.cancel")).to.deep.equal([]);
    expect((await list("metadata[orderId]=audit-2&actor=api_key")).length).to.equal(1);
    expect(await list(`metadata[orderId]=audit-2&created[lte]=1`)).to.deep.equal([]);
  });

  it("logs nothing for an operation that was rejected or replayed", async () => {
    const { id } = await create(client);
    const cancel = () => client.post(`/payment-intents/${id}/cancel`, {}, { "Idempotency-Key": `k-${id}` });
    await Promise.all([cancel(), cancel(), cancel()]);
    await client.post(`/payment-intents/${id}/cancel`, {});
    const actions = (await ofIntent(id)).map(({ action }) => action);
    expect(actions.filter((action) => action === "payment_intent.cancel")).to.have.length(1);
  });

  it("is visible only to its merchant", async () => {
    const other = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
    const { id } = await create(client, { metadata: { orderId: "audit-3" } });
    expect(await list("metadata[orderId]=audit-3", other)).to.deep.equal([]);
    expect((await other.get(`/audit-logs?paymentIntentId=${id}`)).status).to.equal(403);
    const [entry] = await ofIntent(id);
    expect((await other.get(`/audit-logs?starting_after=${entry?.id}`)).status).to.equal(403);
    expect((await new Client(stack.baseUrl).get("/audit-logs")).status).to.equal(401);
  });
});

describe("the application's role", () => {
  it("can read the indexer's tables", async () => {
    await sql.query("set role gateway_app");
    const { rowCount } = await sql.query("select count(*) from chain.order");
    expect(rowCount).to.equal(1);
    await sql.query("reset role");
  });

  it("can process a payment from start to end", async () => {
    const { id } = await fund(client, { autoRelease: true });
    expect((await prove(client, id)).status).to.equal(200);
    await untilStatus(client, id, "SETTLED", "FINAL");
  });
});

it("every entry is sealed within seconds, and the seals match", async () => {
  const { id } = await create(client);
  const [entry] = await ofIntent(id);
  const sealed =
    "select from gateway.audit_log l join gateway.audit_seal s on s.last_position >= l.position where l.id = substr($1, 7)::uuid limit 1";
  await until(async () => (await sql.query(sealed, [entry?.id])).rowCount === 1, {
    what: "every row being sealed",
    timeoutMs: 20_000,
  });
  const { output, errors, exitCode } = await runScript("audit.ts", ["verify"], {
    DATABASE_URL: stack.databaseUrl,
  });
  expect(errors).to.equal("");
  expect(output).to.contain("seals match");
  expect(exitCode).to.equal(0);
});
