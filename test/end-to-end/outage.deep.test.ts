// Roles of the gateway and its database are killed during a payment. The payment still completes exactly once, and no
// response is wrong.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { DEEP } from "#test/support/deep.ts";
import { post } from "../api/support/escrow.ts";
import * as pay from "../api/support/payments.ts";
import { expectError } from "../api/support/shapes.ts";
import { CrashableGateway, ROLES } from "./support/crashable-gateway.ts";
import { watch } from "./support/watch.ts";

let gateway: CrashableGateway;

beforeAll(async () => {
  gateway = await CrashableGateway.start();
});
afterAll(() => gateway?.stop());

describe("a payment completes, once, although", () => {
  it.each(DEEP ? ROLES : ["settlement" as const])(
    "the %s is killed after the confirmation, and again after the proof",
    async (role) => {
      const intent = await pay.create(gateway.client, { autoRelease: true });
      await pay.confirm(gateway.client, intent);
      const first = watch(gateway.client, intent.id, "PROCESSING");
      await gateway.stack.kill(role);
      await gateway.stack.restart(role);
      await gateway.untilSeen(intent.id, "SUCCEEDED");
      await first.stop();

      await gateway.proveAtLast(intent.id);
      const second = watch(gateway.client, intent.id, "SUCCEEDED");
      await gateway.stack.kill(role);
      await gateway.stack.restart(role);
      await gateway.untilSeen(intent.id, "SETTLED");
      const { answers } = await second.stop();
      expect(answers).to.be.above(0);
      await gateway.expectOnce(intent.id);
    },
  );

  it.skipIf(!DEEP)("Postgres crashes after the confirmation, and again after the proof", async () => {
    const { client } = gateway;
    const intent = await pay.create(client, { autoRelease: true });
    await pay.confirm(client, intent);
    const watched = watch(client, intent.id, "PROCESSING");
    await gateway.postgres.crash("api");
    // A role may exit when the database crashes. As in production, it is then restarted.
    await gateway.restartAll();
    await gateway.untilSeen(intent.id, "SUCCEEDED");
    await gateway.proveAtLast(intent.id);
    await gateway.postgres.crash("api");
    await gateway.restartAll();
    await gateway.untilSeen(intent.id, "SETTLED");
    await watched.stop();
    await gateway.expectOnce(intent.id);
  });
});

describe("while the settlement's workers are down, and receipts are not checked,", () => {
  it.skipIf(!DEEP)(
    "a payment is funded, and a proof is accepted right after a shipment whose effect is already visible",
    async () => {
      const { client, stack } = gateway;
      await stack.kill("settlement");
      const { id } = await pay.fund(client);
      expect((await post(client, id, "escrow/ship")).status).to.equal(200);
      const proof = await pay.prove(client, id);
      expect(proof.status, JSON.stringify(proof.body)).to.equal(200);
      await stack.restart("settlement");
    },
  );
});

describe("a restarting indexer", () => {
  it.skipIf(!DEEP)(
    "never shows a SUCCEEDED intent with an earlier status, even if only the API has seen it",
    async () => {
      await gateway.stack.kill("settlement");
      const { id } = await pay.fund(gateway.client);
      const watched = watch(gateway.client, id, "SUCCEEDED");
      await gateway.stack.kill("indexer");
      await gateway.stack.restart("indexer");
      await gateway.untilSeen(id, "SUCCEEDED");
      const { answers, unavailable, refused } = await watched.stop();
      expect(answers).to.be.above(0);
      expect(unavailable).to.be.above(0);
      expect(refused).to.equal(0);
      await gateway.stack.restart("settlement");
    },
  );
});

describe("while the database is unavailable", () => {
  it("every operation returns 503 in the spec's format, and the service recovers by itself", async () => {
    const intent = await pay.create(gateway.client, { autoRelease: true });
    await gateway.wire.cut();
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
      expectError(await gateway.client.send(method, path, { body }), 503, "service_unavailable");
    }
    await gateway.wire.restore();
    await gateway.untilAnswered(id);
    await gateway.stack.restart("indexer");
    await gateway.untilAnswered(id);
    await pay.confirm(gateway.client, intent);
    await gateway.untilSeen(id, "SUCCEEDED");
  });
});
