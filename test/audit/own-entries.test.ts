// The list of audit entries, and the ids of merchants and intents, if a process stores positions or ids that no other
// process stores.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { listAuditLogs } from "#api/audit-logs/list-audit-logs.ts";
import type { Call } from "#api/http/request-context.ts";
import type { Services } from "#api/services.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { packEventData } from "#core/model/pack-event-data.ts";
import { makeWorld, type World } from "../settlement/support/world.ts";

const DATA = packEventData({ object: { object: "payment_intent", status: "FINAL" } });
const MERCHANTS = ["merchant_7e57000000000000000a", "merchant_7e57000000000000000b"];

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

describe("the list of audit entries", () => {
  it("shows only the merchant's own, although another merchant's event has the same position", async () => {
    const { database } = world.context;
    for (const id of MERCHANTS) {
      await database.insert(merchant).values({ id, name: id, account: "0x" });
      await database.execute(sql`
        insert into gateway.event (position, id, merchant_id, mode, type, decided_by, data)
        values (1000, uuidv7(), ${sql.param(id, merchant.id)}, 'test', 'payment_intent.final', '', ${DATA})`);
    }
    for (const merchantId of MERCHANTS) {
      const call = { caller: { merchantId, mode: "test" }, url: new URL("http://localhost/v1/audit-logs") };
      const { data } = await listAuditLogs({ database } as unknown as Services, call as unknown as Call, {});
      expect(data.map((entry) => entry.merchantId)).to.deep.equal([merchantId]);
    }
  });
});

describe("a merchant", () => {
  it("is not stored with an id of another form", async () => {
    const { database } = world.context;
    for (const id of ["merchant_0k3v9q1m7x2d5b8h", "merchant_", "acct_0198f3a2c4d5e6b7a809"]) {
      const outcome = await database
        .insert(merchant)
        .values({ id, name: id, account: "0x" })
        .then(
          () => "done",
          (error: { cause?: { code?: string } }) => error.cause?.code,
        );
      expect(outcome, id).to.equal("23514");
    }
  });
});

describe("an intent", () => {
  it("is not stored with an id that is not an order's", async () => {
    const { database } = world.context;
    await world.addIntent();
    const outcome = await database.execute("update gateway.intent set id = '\\x00'").then(
      () => "done",
      (error: { cause?: { code?: string } }) => error.cause?.code,
    );
    expect(outcome).to.equal("23514");
  });
});
