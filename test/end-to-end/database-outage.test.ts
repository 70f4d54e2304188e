// The database crashes, or cannot be reached: nothing is lost, and nobody is told anything wrong.
import { afterAll, beforeAll, describe, it } from "bun:test";
import * as pay from "../api/support/payments.ts";
import { expectError } from "../api/support/shapes.ts";
import { Tried } from "./support/tried.ts";
import { watch } from "./support/watch.ts";

let gateway: Tried;

beforeAll(async () => {
  gateway = await Tried.start();
});
afterAll(() => gateway?.stop());

describe("a payment completes, once, although", () => {
  it("Postgres crashes after the confirmation, and again after the proof", async () => {
    const { client } = gateway;
    const intent = await pay.create(client, { autoRelease: true });
    await pay.confirm(client, intent);
    const watched = watch(client, intent.id, "PROCESSING");
    await gateway.crashPostgres();
    // A role may end with the database; its supervisor brings it back, as here.
    await gateway.restartAll();
    await gateway.untilSeen(intent.id, "SUCCEEDED");
    await gateway.proveAtLast(intent.id);
    await gateway.crashPostgres();
    await gateway.restartAll();
    await gateway.untilSeen(intent.id, "SETTLED");
    await watched.stop();
    await gateway.expectOnce(intent.id);
  });
});

describe("while the database is away", () => {
  it("every operation answers 503 in the spec's shape, and the service comes back by itself", async () => {
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
    await gateway.wire.mend();
    await gateway.untilAnswered(id);
    await gateway.stack.restart("indexer");
    await gateway.untilAnswered(id);
    await pay.confirm(gateway.client, intent);
    await gateway.untilSeen(id, "SUCCEEDED");
  });
});
