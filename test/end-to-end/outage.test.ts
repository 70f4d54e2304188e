// Roles of the gateway die while a payment is under way: it completes all the same, once, and no answer was wrong.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import * as pay from "../api/support/payments.ts";
import { ROLES, Tried } from "./support/tried.ts";
import { watch } from "./support/watch.ts";

let gateway: Tried;

beforeAll(async () => {
  gateway = await Tried.start();
});
afterAll(() => gateway?.stop());

describe("a payment completes, once, although", () => {
  it.each(ROLES)("the %s is killed after the confirmation, and again after the proof", async (role) => {
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
  });
});

describe("a restarting indexer", () => {
  it("never makes a SUCCEEDED intent look less, also when nobody but the API has seen it", async () => {
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
  });
});
