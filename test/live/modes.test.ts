// Test and live data are never mixed, and live mode gives the merchant no authority over the order's other parties.
// These tests need no networks; live-mode.deep.test.ts makes live payments.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { IntentId } from "#core/ids.ts";
import type { Mode } from "#core/model/mode.ts";
import type { Intent } from "#test/api/support/client.ts";
import { GOOD, HASH_A, HASH_B, newPayer } from "#test/api/support/payments.ts";
import { routesOf } from "#test/api/support/routes.ts";
import { expectError } from "#test/api/support/shapes.ts";
import { MERCHANT, PAYER } from "#test/settlement/support/world.ts";
import { openApiDocument } from "#test/support/openapi-document.ts";
import { startTwoModes, type TwoModes } from "./support/two-modes.ts";

let modes: TwoModes;

beforeAll(async () => {
  modes = await startTwoModes();
});
afterAll(() => modes?.stop());

const keyOf = (mode: Mode) => ({ "X-API-Key": modes[mode].apiKey });
const other = { test: "live", live: "test" } as const;
const DESTINATION = "DE89 3704 0044 0532 0130 00";

async function create(mode: Mode, changes: object = {}): Promise<IntentId> {
  const toBank = { settlementMethod: "OFF_RAMP_TO_BANK", settlementDestination: DESTINATION };
  const body = { ...GOOD, ...(mode === "live" && toBank), ...changes };
  const answer = await modes.send<Intent>(keyOf(mode), "POST", "/v1/payment-intents", body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  return answer.body.id as IntentId;
}

describe.each(["test", "live"] as const)("a %s key", (mode) => {
  it("cannot access the other mode's intents, and its list does not contain them", async () => {
    const own = await modes[mode].addIntent({ mode });
    const foreign = await modes[other[mode]].addIntent({ mode: other[mode] });
    // An intent of the other mode is rejected even if it is in the same database.
    const misplaced = await modes[mode].addIntent({ mode: other[mode] });
    const send = (method: string, path: string, body?: object) =>
      modes.send(keyOf(mode), method, `/v1${path}`, body);
    expect((await send("GET", `/payment-intents/${own.id}`)).status).to.equal(200);
    for (const { id } of [foreign, misplaced]) {
      for (const path of ["", "/escrow", "/escrow/delivery-proofs", "/escrow/milestones"]) {
        expectError(await send("GET", `/payment-intents/${id}${path}`), 403, "forbidden");
      }
      expectError(await send("POST", `/payment-intents/${id}/cancel`, {}), 403, "forbidden");
      expectError(await send("GET", `/audit-logs?paymentIntentId=${id}`), 403, "forbidden");
    }
    const listed = await modes.send<{ data: Intent[] }>(keyOf(mode), "GET", "/v1/payment-intents");
    const ids = listed.body.data.map(({ id }) => id);
    expect(ids).to.include(own.id).and.not.include.oneOf([foreign.id, misplaced.id]);
    const unknown = await send("GET", `/payment-intents/intent_${"0".repeat(64)}`);
    expectError(unknown, 404, "resource_missing", "intentId");
  });
});

describe("a dashboard user", () => {
  it("sees a mode's payments as that mode's merchant, and only with access to it", async () => {
    const both = await modes.signIn({ email: "both@example.com", liveMerchantId: MERCHANT });
    const testOnly = await modes.signIn({ email: "test@example.com" });
    const list = (by: Record<string, string>) =>
      modes.send<{ data: Intent[] }>(by, "GET", "/v1/payment-intents");
    const real = await modes.live.addIntent({ mode: "live" });
    expect((await list(both("live"))).body.data.map(({ id }) => id)).to.include(real.id);
    expect((await list(both("test"))).body.data.map(({ id }) => id)).not.to.include(real.id);
    expectError(await modes.send(both("test"), "GET", `/v1/payment-intents/${real.id}`), 403, "forbidden");
    expect((await list(testOnly("test"))).status).to.equal(200);
    expectError(await list(testOnly("live")), 403, "forbidden");
  });
});

describe("the request log", () => {
  it("records each request in its key's mode, including rejected ones", async () => {
    const paths = { served: "/v1/payment-intents", rejected: `/v1/payment-intents/intent_${"0".repeat(64)}` };
    for (const mode of ["test", "live"] as const) {
      for (const [name, path] of Object.entries(paths)) {
        await modes.send({ ...keyOf(mode), "X-Request-Id": `${mode}-${name}` }, "GET", path);
      }
    }
    for (const mode of ["test", "live"] as const) {
      const named = (await modes.loggedIn(mode)).filter(({ requestId }) =>
        /-(served|rejected)$/.test(requestId),
      );
      expect(named).to.have.deep.members([
        { requestId: `${mode}-served`, mode },
        { requestId: `${mode}-rejected`, mode },
      ]);
    }
  });
});

describe("a live payment's public routes", () => {
  const PUBLIC = "/payment-intents/public/{intentId}";
  const BODIES: Record<string, object | undefined> = {
    [`GET ${PUBLIC}`]: undefined,
    [`GET ${PUBLIC}/checkout`]: undefined,
    [`POST ${PUBLIC}/payer`]: { payerAddress: newPayer().address },
    [`POST ${PUBLIC}/transaction-hash`]: { transactionHash: HASH_B },
  };
  const metadata = { order: "A-1", private_note: "margin 12 %" };

  it.each(Object.entries(BODIES))(
    "%s masks the destination and omits private metadata",
    async (route, body) => {
      const id = await create("live", { metadata });
      // The order must be indexed first; otherwise, the API queries the chain.
      if (route.endsWith("transaction-hash")) await modes.live.fund(id);
      const [method = "", path = ""] = route.replace("{intentId}", id).split(" ");
      const answer = await modes.send<Intent>({}, method, `/v1${path}`, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      const text = JSON.stringify(answer.body);
      expect(text).to.include(id).and.not.include(DESTINATION).and.not.include("margin");
    },
  );

  it("are the routes tested here, and confirm, which needs a chain (live-mode.deep.test.ts)", () => {
    const routes = routesOf(openApiDocument).filter((route) => route.public);
    expect(routes.map(({ method, template }) => `${method} ${template}`)).to.have.members([
      ...Object.keys(BODIES),
      `POST ${PUBLIC}/confirm`,
    ]);
  });
});

describe("a live merchant's key", () => {
  const send = (id: string, path: string, body: object, mode: Mode = "live") =>
    modes.send(keyOf(mode), "POST", `/v1/payment-intents/${id}/escrow/${path}`, body);

  it("can raise a dispute of at least a day, which it cannot decide", async () => {
    const id = await create("live");
    await modes.live.fund(id);
    const dispute = { reason: "Nothing came.", raisedBy: PAYER };
    const refused = await send(id, "dispute", { ...dispute, disputeWindow: "86399" });
    expectError(refused, 400, "invalid_request", "disputeWindow");
    // The request is valid, but there is no chain to send the transaction to.
    const accepted = await send(id, "dispute", { ...dispute, disputeWindow: "86400" });
    expectError(accepted, 503, "service_unavailable");
    const disputed = await create("live");
    await modes.live.fund(disputed, ORDER_STATUSES.indexOf("Disputed"));
    const decided = await send(disputed, "dispute/resolve", { outcome: "MERCHANT_WON" });
    expectError(decided, 400, "invalid_request", "payerSignature");
  });

  it("cannot prove a delivery in place of the order's oracle, unlike in test mode", async () => {
    const deliveryOracle = newPayer().address;
    const prove = async (mode: Mode) => {
      const id = await create(mode, { deliveryOracle });
      await modes[mode].fund(id);
      return send(id, "delivery-proof", { proofHash: HASH_A, submittedBy: deliveryOracle }, mode);
    };
    expectError(await prove("live"), 400, "invalid_request", "oracleSignature");
    expectError(await prove("test"), 503, "service_unavailable");
  });

  it("has no test clock", async () => {
    const [clock, advance] = ["/v1/test/clock", "/v1/test/clock/advance"] as const;
    expectError(await modes.send(keyOf("live"), "GET", clock), 404, "resource_missing");
    expectError(await modes.send(keyOf("live"), "POST", advance, { seconds: 60 }), 404, "resource_missing");
    expect((await modes.send(keyOf("test"), "GET", clock)).status).to.equal(200);
  });
});
