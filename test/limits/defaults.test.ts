// The spec's default limits over HTTP, without any configuration (spec, "Limits").
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { KeyPrefix } from "#core/api-keys/api-keys.ts";
import { createKey } from "#core/api-keys/create-key.ts";
import { connect, type Database } from "#core/db/client.ts";
import { dashboardRateLimit } from "#core/db/schema/users.ts";
import { createUser } from "#core/users/users.ts";
import { originOf } from "#test/api/support/routes.ts";
import { attempt, signIn } from "#test/api/support/session.ts";
import { startAnotherApi } from "#test/support/another-api.ts";
import type { SharedStack } from "#test/support/shared-stack.ts";
import { type Asking, ask as askAt, type Shown, show, startLimitedApi } from "./support/limited-gateway.ts";

let stack: SharedStack;
let database: Database;

beforeAll(async () => {
  stack = await startLimitedApi();
  database = connect(stack.databaseUrl, { application: "test" });
});

afterAll(async () => {
  await database?.$client.end();
  await stack?.stop();
});

const ask = (path: string, asking: Asking = {}) => askAt(stack.baseUrl, path, asking);

/** Creates a key that has not made a request yet. */
async function freshKey(prefix: KeyPrefix = "sk_test_"): Promise<string> {
  return (await createKey(database, stack.merchants[0]?.merchantId ?? "", prefix)).secret;
}

const INTENT = {
  amount: "1.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
};
const CONFIRMATION = { signature: "0x12", payerAddress: `0x${"1".repeat(40)}` };
const MISSING = `/payment-intents/intent_${"0".repeat(64)}`;

async function repeat(times: number, work: () => Promise<Shown>): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let i = 0; i < times; i++) all.push(await work());
  return all;
}

function expectRefused(shown: Shown, limit: number): void {
  const now = Math.floor(Date.now() / 1000);
  expect(shown.status).to.equal(429);
  expect(shown.body.error).to.include({ code: "rate_limit_exceeded", type: "rate_limit_error" });
  expect(shown.body.error?.retryAfter).to.be.within(1, 60);
  expect(shown.retryAfter).to.equal(String(shown.body.error?.retryAfter));
  expect(shown).to.include({ limit, remaining: 0 });
  expect(shown.reset).to.be.within(now, now + 61);
}

describe("by default a test key", () => {
  it("can make 100 requests a minute, and sees the window with the least remaining", async () => {
    const key = await freshKey();
    const shown = await repeat(100, () => ask("/payment-intents?limit=1", { key }));
    expect(new Set(shown.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(shown.map(({ remaining }) => remaining)).to.deep.equal(
      Array.from({ length: 100 }, (_, i) => 99 - i),
    );
    expect(new Set(shown.map(({ limit }) => limit))).to.deep.equal(new Set([100]));
    expectRefused(await ask("/payment-intents?limit=1", { key }), 100);
    expectRefused(await ask(MISSING, { key }), 100);
    expect((await ask("/payment-intents?limit=1", { key: await freshKey() })).status).to.equal(200);
  });

  it("can be a hackathon key", async () => {
    expect(await ask("/payment-intents", { key: await freshKey("sk_hackathon_") })).to.include({
      limit: 100,
      remaining: 99,
    });
  });

  it("can create 50 intents a minute; rejected requests do not count toward other limits", async () => {
    const key = await freshKey();
    const create = () => ask("/payment-intents", { key, method: "POST", body: INTENT });
    const created = await repeat(50, create);
    expect(new Set(created.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(created.at(-1)).to.include({ limit: 50, remaining: 0 });
    for (const refused of await repeat(10, create)) expectRefused(refused, 50);
    expect(await ask("/payment-intents?limit=1", { key })).to.include({
      status: 200,
      limit: 100,
      remaining: 49,
    });
  });

  it("can confirm 30 times a minute, regardless of the response", async () => {
    const key = await freshKey();
    const confirm = () => ask(`${MISSING}/confirm`, { key, method: "POST", body: CONFIRMATION });
    const tried = await repeat(30, confirm);
    expect(new Set(tried.map(({ status }) => status))).to.deep.equal(new Set([404]));
    expect(tried[0]).to.include({ limit: 30, remaining: 29 });
    expectRefused(await confirm(), 30);
  });

  it("can retrieve 100 intents a minute", async () => {
    const key = await freshKey();
    const all = await Promise.all(Array.from({ length: 130 }, () => ask(MISSING, { key })));
    expect(all.filter(({ status }) => status === 404)).to.have.length(100);
    expect(all.filter(({ status }) => status === 429)).to.have.length(30);
  });
});

describe("a rate-limit rejection", () => {
  it("is not stored under its Idempotency-Key: the retry counts as the first request", async () => {
    const [spent, fresh] = [await freshKey(), await freshKey()];
    const idempotent = { "Idempotency-Key": "after-the-limit" };
    const create = (key: string) =>
      ask("/payment-intents", { key, method: "POST", body: INTENT, headers: idempotent });
    await repeat(50, () => ask("/payment-intents", { key: spent, method: "POST", body: {} }));
    expectRefused(await create(spent), 50);
    const retry = await create(fresh);
    expect(retry.status, JSON.stringify(retry.body)).to.equal(200);
    expect(retry.headers.get("idempotent-replayed")).to.equal(null);
    expect((await create(fresh)).headers.get("idempotent-replayed")).to.equal("true");
  });
});

describe("by default a live key", () => {
  it("has ten times the limits, even without a configured live network", async () => {
    const key = await freshKey("sk_live_");
    expect(await ask(MISSING, { key })).to.include({ status: 403, limit: 1000, remaining: 999 });
    expect(await ask("/payment-intents", { key, method: "POST", body: {} })).to.include({
      status: 403,
      limit: 500,
      remaining: 499,
    });
    expect(await ask(`${MISSING}/confirm`, { key, method: "POST", body: {} })).to.include({
      status: 403,
      limit: 300,
      remaining: 299,
    });
  });
});

describe("the limits' headers", () => {
  it("are on every response, with and without a key, including rejections and replays", async () => {
    const key = await freshKey();
    const body = INTENT;
    const once = { "Idempotency-Key": crypto.randomUUID() };
    const answers = [
      await ask("/payment-intents", { key, method: "POST", body, headers: once }),
      await ask("/payment-intents", { key, method: "POST", body, headers: once }),
      await ask("/payment-intents", { key, method: "POST", body: [] }),
      await ask("/payment-intents?limit=0", { key }),
      await ask(MISSING, { key }),
      await ask("/nothing-here", { key }),
      await ask("/payment-intents", { method: "PUT" }),
      await ask(MISSING),
      await ask(MISSING, { key: "sk_test_unknown_0123456789abcdef" }),
      await ask(MISSING, { key: "nonsense" }),
      await ask(MISSING.replace("/intent_", "/public/intent_")),
      await ask(`${MISSING.replace("/intent_", "/public/intent_")}/payer`, { method: "POST", body: {} }),
      await ask("/nothing-here"),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([
      200, 200, 400, 400, 404, 404, 404, 401, 403, 403, 404, 400, 404,
    ]);
    expect(answers[1]?.headers.get("idempotent-replayed")).to.equal("true");
    for (const { limit, remaining, reset } of answers) {
      expect(limit).to.be.oneOf([50, 100]);
      expect(remaining).to.be.within(0, limit - 1);
      expect(reset - Date.now() / 1000).to.be.within(0, 61);
    }
  });
});

describe("by default a user of the dashboard", () => {
  it("can make 600 requests a minute, independent of the merchant's keys", async () => {
    const [key, user] = [await freshKey(), await signIn(stack)];
    // Signing in counts against the limit of a test below.
    await database.delete(dashboardRateLimit);
    const answers = await Promise.all(Array.from({ length: 150 }, () => user.get(MISSING)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([404]));
    const shown = answers.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
    expect(Math.min(...shown)).to.equal(450);
    expect(await ask(MISSING, { key })).to.include({ limit: 100, remaining: 99 });
  });
});

describe("by default a client address may try to sign in to the dashboard", () => {
  it("ten times a minute, regardless of the claimed address", async () => {
    const statuses: number[] = [];
    for (let tries = 1; tries <= 11; tries++) {
      const wrong = { email: stack.dashboard.email, password: `wrong ${tries}` };
      const headers = { "X-Forwarded-For": `203.0.113.${tries}`, "X-Gateway-Client": `203.0.113.${tries}` };
      statuses.push((await attempt(stack, wrong, headers)).status);
    }
    expect(statuses).to.deep.equal([...Array(10).fill(401), 429]);
    const refused = await show(await attempt(stack, stack.dashboard));
    expect(refused.status).to.equal(429);
    expect(refused.body.error).to.include({ code: "rate_limit_exceeded", type: "rate_limit_error" });
    expect(refused.retryAfter).to.equal(String(refused.body.error?.retryAfter));
  });
});

describe("by default an account of the dashboard", () => {
  let proxied: SharedStack;
  beforeAll(async () => {
    proxied = await startAnotherApi(
      { ...stack, stop: async () => undefined },
      { TRUSTED_PROXIES: "127.0.0.0/8,::1/128" },
    );
  });
  afterAll(async () => {
    await proxied?.stop();
  });

  it("allows 30 attempts a minute, from all addresses (A12)", async () => {
    const statuses: number[] = [];
    for (let tries = 1; tries <= 31; tries++) {
      const wrong = { email: `someone-${stack.dashboard.email}`, password: `wrong ${tries}` };
      const headers = { "X-Forwarded-For": `203.0.113.${tries}` };
      statuses.push((await attempt(proxied, wrong, headers)).status);
    }
    expect(statuses).to.deep.equal([...Array(30).fill(401), 429]);
  });

  it("has the same password limit in an unattended session", async () => {
    const login = {
      email: `left-open-${crypto.randomUUID()}@example.com`,
      password: "a password that is long",
    };
    await createUser(database, { ...login, name: "Left", merchantId: stack.merchants[0]?.merchantId ?? "" });
    // The previous test has used up the limit of this address.
    await database.delete(dashboardRateLimit);
    const session = await signIn(proxied, login);
    const statuses: number[] = [];
    for (let tries = 1; tries <= 30; tries++) {
      const [path, body] = [
        ["/change-password", { currentPassword: `wrong ${tries}`, newPassword: "another long password" }],
        ["/two-factor/enable", { password: `wrong ${tries}` }],
      ][tries % 2] as [string, object];
      const answer = await fetch(`${originOf(proxied)}/dashboard/auth${path}`, {
        method: "POST",
        headers: {
          ...{ "Content-Type": "application/json", "X-Forwarded-For": `203.0.114.${tries}` },
          ...session.credentials(),
        },
        body: JSON.stringify(body),
      });
      statuses.push(answer.status);
    }
    expect(statuses).to.deep.equal([...Array(29).fill(400), 429]);
  });
});

// Runs last, because this address exceeds its limit from here on.
describe("by default a client address", () => {
  it("can make 100 requests a minute without a valid key, regardless of the claimed address; keys are unaffected", async () => {
    const key = await freshKey();
    let tries = 0;
    let shown: Shown;
    do {
      tries++;
      shown = await ask(MISSING.replace("/intent_", "/public/intent_"), {
        headers: { "X-Forwarded-For": `203.0.113.${tries}` },
      });
    } while (shown.status === 404 && tries < 200);
    expect(tries).to.be.below(102);
    expectRefused(shown, 100);
    expectRefused(await ask(MISSING), 100);
    expectRefused(await ask(MISSING, { key: "sk_test_unknown_0123456789abcdef" }), 100);
    expectRefused(await ask("/nothing-here"), 100);
    expect((await ask(MISSING, { key })).status).to.equal(404);
    expect((await fetch(new URL("/health", stack.baseUrl))).status).to.equal(200);
  });
});
