// API keys on a running gateway: rotation, revocation, restrictions, hashing, and the recorded last use.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { createKey } from "#core/api-keys/create-key.ts";
import { KeysError } from "#core/api-keys/key-row.ts";
import { revokeKey } from "#core/api-keys/revoke-key.ts";
import { rotateKey } from "#core/api-keys/rotate-key.ts";
import { connect, type Database } from "#core/db/client.ts";
import { type Access, apiKey } from "#core/db/schema/merchants.ts";
import { listKeys } from "#scripts/cli/keys/list-keys.ts";
import { fetchDocumented } from "#test/support/documented.ts";
import { openApiDocument } from "#test/support/openapi-document.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

let stack: SharedStack;
let database: Database;
let merchantId: string;

beforeAll(async () => {
  stack = await sharedStack();
  database = connect(stack.databaseUrl, { application: "test" });
  merchantId = stack.merchants[0]?.merchantId ?? "";
});

afterAll(async () => {
  await database?.$client.end();
  await stack?.stop();
});

const INTENT = {
  amount: "1.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
};

async function call(key: string, method = "GET", path = "/payment-intents?limit=1", body?: object) {
  const response = await fetchDocumented(
    new Request(`${stack.baseUrl}${path}`, {
      method,
      headers: { "X-API-Key": key, ...(body ? { "Content-Type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  );
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

/** Waits until the response to the key has this status. Fails after a time within which all caches expire. */
async function answered(key: string, status: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  let last = 0;
  while (performance.now() < end) {
    last = (await call(key)).status;
    if (last === status) return;
    await delay(5);
  }
  expect(last).to.equal(status);
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(KeysError);
  return (error as KeysError).message;
}

describe("an API key", () => {
  it("has 256 random bits after its prefix, and is stored only as its SHA-256", async () => {
    for (const prefix of ["sk_test_", "sk_hackathon_", "sk_live_"] as const) {
      const { secret, key } = await createKey(database, merchantId, prefix, { name: prefix });
      expect(Buffer.from(secret.slice(prefix.length), "base64url")).to.have.length(32);
      const [row] = await database.select().from(apiKey).where(eq(apiKey.id, key.id));
      expect(row?.hash.equals(createHash("sha256").update(secret).digest())).to.equal(true);
      expect(JSON.stringify(row)).not.to.include(secret.slice(prefix.length));
      expect(key).to.include({ mode: prefix === "sk_live_" ? "live" : "test", state: "active" });
      expect(key.hint).to.equal(`${prefix}…${secret.slice(-4)}`);
      expect(key).not.to.have.property("hash");
    }
  });

  it("is invalid immediately after it is revoked, even if it was just used", async () => {
    const { secret, key } = await createKey(database, merchantId, "sk_test_");
    for (let i = 0; i < 5; i++) expect((await call(secret)).status).to.equal(200);
    expect((await revokeKey(database, key.id)).state).to.equal("revoked");
    await answered(secret, 403, 500);
    for (let i = 0; i < 20; i++) expect((await call(secret)).status).to.equal(403);
    expect((await revokeKey(database, key.id)).state).to.equal("revoked");
  });

  it("is invalid immediately after any change of its row", async () => {
    const { secret, key } = await createKey(database, merchantId, "sk_test_");
    expect((await call(secret)).status).to.equal(200);
    await database.$client.query("update gateway.api_key set expires_at = now() where id = $1", [key.id]);
    await answered(secret, 403, 500);
  });

  it("is reread from the database after the notification connection was lost", async () => {
    const { secret, key } = await createKey(database, merchantId, "sk_test_");
    expect((await call(secret)).status).to.equal(200);
    const ended = await database.$client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'key-listener' and datname = current_database()`,
    );
    // This gateway's own listener, and those of other test files' API processes on the shared database.
    expect(ended.rowCount).to.be.at.least(1);
    await revokeKey(database, key.id);
    await answered(secret, 403, 500);
  });

  it("stays valid alongside its replacement during the overlap, and no longer", async () => {
    const made = await createKey(database, merchantId, "sk_test_", { name: "shop", access: "no_release" });
    const rotated = await rotateKey(database, made.key.id, 2);
    expect(rotated.key).to.include({ name: "shop", access: "no_release", mode: "test", state: "active" });
    expect(rotated.replaced).to.include({ state: "ending", replacedBy: rotated.key.id });
    expect((await call(made.secret)).status).to.equal(200);
    expect((await call(rotated.secret)).status).to.equal(200);
    const end = rotated.replaced.expiresAt?.getTime() ?? 0;
    await delay(end - Date.now() - 300);
    expect((await call(made.secret)).status).to.equal(200);
    await delay(end - Date.now() + 50);
    expect((await call(made.secret)).status).to.equal(403);
    expect((await call(rotated.secret)).status).to.equal(200);
  });

  it("ends immediately when it is rotated without an overlap", async () => {
    const made = await createKey(database, merchantId, "sk_hackathon_");
    expect((await call(made.secret)).status).to.equal(200);
    const { secret } = await rotateKey(database, made.key.id, 0);
    expect(secret).to.match(/^sk_hackathon_/);
    await answered(made.secret, 403, 500);
  });

  it("cannot be rotated twice, when it is no longer valid, or by another merchant", async () => {
    const { key } = await createKey(database, merchantId, "sk_test_");
    const other = stack.merchants[1]?.merchantId ?? "";
    expect(await refusalOf(rotateKey(database, key.id, 60, other))).to.include("No such API key");
    expect(await refusalOf(revokeKey(database, key.id, other))).to.include("No such API key");
    const { key: next } = await rotateKey(database, key.id, 60, merchantId);
    expect(await refusalOf(rotateKey(database, key.id, 60))).to.include(next.id);
    await revokeKey(database, next.id);
    expect(await refusalOf(rotateKey(database, next.id, 60))).to.include("revoked");
    expect((await listKeys(database, other)).map(({ id }) => id)).not.to.include(key.id);
  });

  it("is audited: who created, rotated and revoked it, and its permissions, but never the key itself", async () => {
    const { secret, key } = await createKey(database, merchantId, "sk_test_", { access: "read_only" });
    const actor = { type: "account", id: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" } as const;
    const { key: next } = await rotateKey(database, key.id, 60, merchantId, actor);
    await revokeKey(database, key.id);
    await revokeKey(database, key.id);
    const response = await fetch(`${stack.baseUrl}/audit-logs?limit=20`, {
      headers: { "X-API-Key": stack.merchants[0]?.apiKey ?? "" },
    });
    const { data } = (await response.json()) as { data: Record<string, unknown>[] };
    const trail = data
      .filter(({ resourceId }) => resourceId === key.id || resourceId === next.id)
      .map(({ action, actor: by, resourceId, from, to, metadata }) => [
        action,
        by,
        resourceId,
        from,
        to,
        metadata,
      ]);
    const system = { type: "system", id: null };
    const metadata = { access: "read_only" };
    expect(trail).to.deep.equal([
      ["api_key.revoke", system, key.id, "ending", "revoked", metadata],
      ["api_key.rotate", actor, key.id, "active", "ending", metadata],
      ["api_key.create", actor, next.id, null, "active", metadata],
      ["api_key.create", system, key.id, null, "active", metadata],
    ]);
    expect(JSON.stringify(data)).not.to.include(secret);
  });

  it("gets one successor when it is rotated concurrently", async () => {
    const { key } = await createKey(database, merchantId, "sk_test_");
    const results = await Promise.allSettled([1, 2, 3].map(() => rotateKey(database, key.id, 60)));
    expect(results.filter(({ status }) => status === "fulfilled")).to.have.length(1);
  });

  it("shows when it was last used, updated at most once a minute", async () => {
    const { secret, key } = await createKey(database, merchantId, "sk_test_");
    await call(secret);
    const lastUse = async () =>
      (await listKeys(database, merchantId)).find(({ id }) => id === key.id)?.lastUsedAt?.getTime();
    const end = performance.now() + 5_000;
    let first: number | undefined;
    while (first === undefined && performance.now() < end) {
      first = await lastUse();
      await delay(20);
    }
    expect(Math.abs(Date.now() - (first ?? 0))).to.be.below(5_000);
    for (let i = 0; i < 20; i++) await call(secret);
    await delay(1_500);
    expect(await lastUse()).to.equal(first);
  });
});

describe("a restricted key", () => {
  const MISSING = `intent_${"0".repeat(64)}`;
  const at = (rest: string) => `/payment-intents/${MISSING}${rest}`;
  const reads = [
    "/payment-intents",
    at(""),
    at("/escrow"),
    at("/escrow/milestones"),
    at("/escrow/milestones/x"),
    at("/escrow/delivery-proofs"),
    "/events",
    "/events/x",
    "/audit-logs",
    "/account",
    "/balance",
    "/webhook-endpoints",
    "/webhook-endpoints/x",
    "/webhook-endpoints/x/deliveries",
    "/webhook-endpoints/x/deliveries/x",
    "/settlements",
    "/settlements/x",
    "/test/clock",
  ];
  const writes = [
    "/payment-intents",
    at("/confirm"),
    at("/cancel"),
    at("/escrow/milestones"),
    "/webhook-endpoints",
    "/webhook-endpoints/x",
    "/webhook-endpoints/x/rotate-secret",
    "/webhook-endpoints/x/test",
    "/webhook-endpoints/x/deliveries/x/redeliver",
  ];
  const releases = [
    at("/escrow/delivery-proof"),
    at("/escrow/ship"),
    at("/escrow/release"),
    at("/escrow/refund"),
    at("/escrow/dispute"),
    at("/escrow/dispute/resolve"),
    at("/escrow/milestones/x/complete"),
    at("/settlement/retry"),
    "/test/clock/advance",
  ];
  const routes: [string, string, "read" | "write" | "release"][] = [
    ...reads.map((path): [string, string, "read"] => ["GET", path, "read"]),
    ...writes.map((path): [string, string, "write"] => ["POST", path, "write"]),
    ["DELETE", "/webhook-endpoints/x", "write"],
    ["PATCH", at(""), "write"],
    ...releases.map((path): [string, string, "release"] => ["POST", path, "release"]),
  ];
  const may: Record<Access, string[]> = {
    full: ["read", "write", "release"],
    no_release: ["read", "write"],
    read_only: ["read"],
  };

  it.each(Object.keys(may) as Access[])("with access %s gets 403 only for what it lacks", async (access) => {
    const { secret } = await createKey(database, merchantId, "sk_test_", { access });
    for (const [method, path, needs] of routes) {
      const { status, body } = await call(
        secret,
        method,
        path,
        ["POST", "PATCH"].includes(method) ? {} : undefined,
      );
      const said = JSON.stringify(body);
      if (may[access].includes(needs)) expect(status, `${method} ${path} ${said}`).not.to.equal(403);
      else {
        expect(status, `${method} ${path} ${said}`).to.equal(403);
        expect(body.error).to.include({ code: "forbidden", type: "authentication_error" });
        expect(said).to.include("restricted");
      }
    }
  });

  it("is tested on every operation that requires a key", () => {
    const known = routes.map(([method, path]) => `${method} ${path}`);
    const unknown = Object.entries(openApiDocument.paths).flatMap(([path, item]) => {
      // Public routes require no permission, and routes of API keys are for dashboard users.
      if (path.includes("/public/") || path.startsWith("/v1/api-keys")) return [];
      const named = path
        .replace("/v1", "")
        .replace("{intentId}", MISSING)
        .replaceAll(/\{\w+\}/g, "x");
      return Object.keys(item)
        .map((method) => `${method.toUpperCase()} ${named}`)
        .filter((operation) => !known.includes(operation));
    });
    expect(unknown).to.deep.equal([]);
  });

  it("with no_release creates an intent that a read_only key can read", async () => {
    const writer = await createKey(database, merchantId, "sk_test_", { access: "no_release" });
    const reader = await createKey(database, merchantId, "sk_test_", { access: "read_only" });
    const created = await call(writer.secret, "POST", "/payment-intents", INTENT);
    expect(created.status).to.equal(200);
    const { id } = created.body as unknown as { id: string };
    expect((await call(reader.secret, "GET", `/payment-intents/${id}`)).status).to.equal(200);
  });
});
