// Thousands of unknown keys on a separate PostgreSQL database: their cost for the database, and whether a valid key
// still works.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { AccessControl } from "#api/access/authenticate.ts";
import { createCallerLookup } from "#api/access/find-caller.ts";
import { KeyListener } from "#api/access/listen-for-keys.ts";
import { RateLimitCounters } from "#api/access/rate-limit-counters.ts";
import { createRateLimitStore } from "#api/access/rate-limit-store.ts";
import { RateLimits } from "#api/access/rate-limits.ts";
import { newKey, storeKey } from "#core/api-keys/api-keys.ts";
import { connect, type Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { newMerchantId } from "#core/ids.ts";
import { createLog } from "#core/log.ts";
import { testDatabase } from "#test/support/stack.ts";

const LIMIT = 100;
const MERCHANT = newMerchantId();
const KEY_LIMITS = { minute: 10_000, hour: 10_000, retrieve: 10_000, create: 10_000, confirm: 10_000 };

let database: Database;
let listener: KeyListener;
let limits: RateLimits;
let accessControl: AccessControl;
let validKey: string;
let statements = 0;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  database = connect(databaseUrl, { application: "test" });
  await database.insert(merchant).values({ id: MERCHANT, name: "One", account: zeroAddress });
  validKey = newKey("sk_test_");
  await storeKey(database, MERCHANT, validKey);
  const never = (error: Error) => {
    throw error;
  };
  const counters = new RateLimitCounters(
    createRateLimitStore(databaseUrl, never),
    createLog("test", "silent"),
  );
  limits = new RateLimits(
    { test: KEY_LIMITS, live: KEY_LIMITS, address: LIMIT, session: LIMIT, signInAccount: LIMIT },
    counters,
  );
  // Without notifications, nothing is cached, so every request queries the database.
  listener = new KeyListener("postgres://localhost:1/nowhere");
  const lookup = createCallerLookup(database, listener, () => undefined);
  accessControl = new AccessControl(lookup, limits, () => "192.0.2.1");
  database.$client.on("acquire", () => {
    statements++;
  });
});
afterAll(async () => {
  await Promise.all([limits?.stop(), listener?.stop(), database?.$client.end()]);
});

async function statusWith(key: string): Promise<number> {
  const visit = {
    ...{ set: { headers: {} }, server: null },
    request: new Request("http://localhost/v1/balance", { headers: { "X-API-Key": key } }),
  };
  try {
    await accessControl.byKey(visit, { permission: "read" });
    return 200;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

describe("2,000 unknown keys from one address", () => {
  it("cause few statements once the address's limit is used up, and a valid key from it is served (A6)", async () => {
    const all = await Promise.all(Array.from({ length: 2_000 }, () => statusWith(newKey("sk_test_"))));
    expect(all.filter((status) => status === 403)).to.have.length(LIMIT);
    expect(all.filter((status) => status === 429)).to.have.length(2_000 - LIMIT);
    expect(statements).to.be.below(60);
    expect(await statusWith(validKey)).to.equal(200);
  });
});
