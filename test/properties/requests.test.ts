// Every request receives one of the spec's responses: never a 5xx, never no response, and errors always with the spec's
// body. FUZZ_SEED and FUZZ_PATH repeat a failed run (both are printed). FUZZ_REQUESTS makes a run longer.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomInt } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { signIn } from "#test/api/support/session.ts";
import { startAnotherApi } from "#test/support/another-api.ts";
import { DEEP } from "#test/support/deep.ts";
import { expectDocumented } from "#test/support/documented.ts";
import { expanded, openApiDocument } from "#test/support/openapi-document.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { batchOf, type Generated, type Route, type World } from "./support/generate.ts";
import { RawClient, type RawResponse } from "./support/raw-client.ts";

const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (DEEP ? 51_200 : 1_024));
const BATCH = 64;
const CONNECTIONS = 16;
const ANSWER_WITHIN_MS = 5_000;
const TIMEOUT_MS = Math.max(600_000, REQUESTS * 30);

const CODES: Record<number, string[]> = {
  400: [
    "invalid_request",
    "invalid_request_error",
    "invalid_status",
    "invalid_state_transition",
    "signature_verification_failed",
  ],
  401: ["authentication_required"],
  403: ["forbidden"],
  404: ["resource_missing"],
};

let stack: SharedStack;
let clients: RawClient[];
let world: World;
const seen = new Map<string, Map<number, number>>();

const ROUTES: Route[] = Object.entries(openApiDocument.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { requestBody }]) => {
    const schema = requestBody?.content["application/json"]?.schema;
    return { method: method.toUpperCase(), path, ...(schema ? { body: expanded(schema) } : {}) };
  }),
);

const PUBLIC = new Set(
  Object.entries(openApiDocument.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security?.length === 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  ),
);

async function createIntent(key: string, extra: object = {}): Promise<string> {
  const response = await fetch(`${stack.baseUrl}/payment-intents`, {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify({
      amount: "100.00",
      currency: "USDC",
      type: "DELIVERY_VS_PAYMENT",
      settlementMethod: "OFF_RAMP_MOCK",
      settlementDestination: "bank_account_123",
      ...extra,
    }),
  });
  expect(response.status).to.equal(200);
  return ((await response.json()) as { id: string }).id;
}

beforeAll(async () => {
  // A generated request must not advance the shared gateway's clock.
  stack = await startAnotherApi(await sharedStack(), { LOG_LEVEL: "warn", TEST_CLOCK: "off" });
  const [own = "", other = ""] = stack.merchants.map(({ apiKey }) => apiKey);
  world = {
    routes: ROUTES,
    keys: { own, other },
    session: Object.entries((await signIn(stack)).credentials()),
    ids: await Promise.all([
      createIntent(own),
      createIntent(own, { type: "CONDITIONAL" }),
      createIntent(own, { metadata: { releaseType: "MILESTONE_LOCKED" } }),
      createIntent(other),
    ]),
  };
  const { port } = new URL(stack.baseUrl);
  clients = Array.from(
    { length: CONNECTIONS },
    () => new RawClient("127.0.0.1", Number(port), ANSWER_WITHIN_MS),
  );
});

afterAll(async () => {
  for (const client of clients ?? []) client.close();
  await stack?.stop();
});

function check(request: Generated, { status, headers, body }: RawResponse): void {
  const { method, route, target } = request;
  const name = `${route.method} ${route.path}`;
  const counts = seen.get(name) ?? new Map<number, number>();
  seen.set(name, counts.set(status, (counts.get(status) ?? 0) + 1));
  const what = `${method} ${target.slice(0, 300)} answered ${status} ${body.slice(0, 300)}`;
  expectDocumented({ method, target, status, headers: new Headers([...headers]), text: body });
  if (status === 200) return;
  expect(CODES, what).to.have.property(String(status));
  expect(headers.get("x-request-id"), what).to.be.a("string");
  expect(headers.get("x-ratelimit-limit"), what).to.be.a("string");
  expect(headers.get("content-type"), what).to.match(/^application\/json/);
  if (method === "HEAD") return;
  const { error } = JSON.parse(body) as { error: Record<string, unknown> };
  expect(error.code, what).to.be.oneOf(CODES[status] ?? []);
  expect(error.message, what).to.be.a("string").and.not.empty;
  const type = status === 401 || status === 403 ? "authentication_error" : "invalid_request_error";
  expect(error.type, what).to.equal(type);
  if (error.param !== undefined) expect(error.param, what).to.be.a("string");
  const known = ["code", "message", "type", "param", "requestId", "errors"];
  expect(known, what).to.include.members(Object.keys(error));
}

async function sendAll(batch: Generated[]): Promise<void> {
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let request = batch[next++]; request; request = batch[next++]) {
        check(request, await client.send(request));
      }
    }),
  );
}

describe("generated requests", () => {
  it(
    `receive one of the spec's responses (${REQUESTS} requests)`,
    async () => {
      console.log(`FUZZ_SEED=${SEED}`);
      const numRuns = Math.ceil(REQUESTS / BATCH);
      const result = await fc.check(fc.asyncProperty(batchOf(world, BATCH), sendAll), {
        seed: SEED,
        numRuns,
        ...(process.env.FUZZ_PATH === undefined ? {} : { path: process.env.FUZZ_PATH }),
        // The sent requests show the failure; a long search for the shortest batch would not help.
        endOnFailure: true,
      });
      if (result.failed) {
        throw new Error(
          `Again: FUZZ_SEED=${SEED} FUZZ_PATH=${result.counterexamplePath} npm test -- properties`,
          { cause: result.errorInstance },
        );
      }
      expect([...seen.keys()].sort()).to.deep.equal(
        world.routes.map(({ method, path }) => `${method} ${path}`).sort(),
      );
      for (const [name, counts] of seen) {
        const total = [...counts.values()].reduce((sum, one) => sum + one, 0);
        expect(total, name).to.be.at.least(numRuns);
        // Some requests must reach an existing resource, and some must not, so that not all are rejected early. A short
        // run may by chance lack one of these.
        const least = PUBLIC.has(name) ? 2 : 3;
        if (DEEP) expect(counts.size, `${name}: ${[...counts.keys()]}`).to.be.at.least(least);
      }
      const statuses = new Set([...seen.values()].flatMap((counts) => [...counts.keys()]));
      expect([...statuses].sort()).to.include.members([200, 400, 401, 403, 404]);
      // The client reports a hanging request; many of them take minutes on a busy machine.
    },
    TIMEOUT_MS,
  );
});
