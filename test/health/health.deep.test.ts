// What the gateway exposes to operators: health, readiness and metrics.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client } from "#test/api/support/client.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

let stack: Stack;
let client: Client;
let origins: { api: string; settlement: string };

beforeAll(async () => {
  stack = await startStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  const { PORT, SETTLEMENT_PORT } = stack.environment;
  origins = { api: `http://127.0.0.1:${PORT}`, settlement: `http://127.0.0.1:${SETTLEMENT_PORT}` };
});

afterAll(() => stack?.stop());

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

/** Returns the value of a metric, by its name and printed labels. */
async function metric(origin: string, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

describe("the metrics", () => {
  it("of the API count responses by route and status, and describe the connection pool and the indexer", async () => {
    const labels = 'method="GET",route="/api/v1/payment-intents",status="200"';
    const counted = `http_request_duration_seconds_count{${labels}}`;
    const before = (await metric(origins.api, counted)) || 0;
    for (let i = 0; i < 3; i++) await client.get("/payment-intents");
    expect(await metric(origins.api, counted)).to.equal(before + 3);
    expect(await metric(origins.api, 'indexer_lag_blocks{network="test"}')).to.be.within(0, 50);
    expect(await metric(origins.api, 'indexer_lag_seconds{network="test"}')).to.be.within(0, 60);
    expect(await metric(origins.api, 'database_pool_connections{network="test",state="waiting"}')).to.equal(
      0,
    );
    expect(await metric(origins.api, 'database_pool_connections{network="test",state="idle"}')).to.be.above(
      0,
    );
  });

  it("of the settlement role describe payouts, transactions and the balance for gas", async () => {
    expect(await metric(origins.settlement, "payouts_open")).to.be.at.least(0);
    expect(await metric(origins.settlement, "payouts_failed")).to.equal(0);
    expect(await metric(origins.settlement, "payouts_quarantined")).to.equal(0);
    expect(await metric(origins.settlement, "transactions_unresolved")).to.be.at.least(0);
    expect(await metric(origins.settlement, "transactions_oldest_unresolved_seconds")).to.be.at.least(0);
    expect(await metric(origins.settlement, "operator_balance")).to.be.above(0);
  });
});

describe("readiness", () => {
  it("lists every dependency and the indexer's progress", async () => {
    const { status, body } = await get(`${origins.api}/ready`);
    expect(status).to.equal(200);
    expect(body).to.nested.include({
      status: "ready",
      "parts.database.ok": true,
      "parts.chain.ok": true,
      "parts.indexer.ok": true,
    });
    expect(body).to.have.nested.property("parts.indexer.lagBlocks").that.is.within(0, 50);
    expect(body).to.have.nested.property("parts.indexer.lagSeconds").that.is.within(0, 60);
    expect((await get(`${origins.settlement}/ready`)).body).to.nested.include({
      status: "ready",
      "parts.workers.ok": true,
    });
  });
});
