// A request commits nothing if a retry has taken over its Idempotency-Key.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import { type Claim, Idempotency } from "#api/idempotency/idempotency.ts";
import { connect, type Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { idempotencyKey } from "#core/db/schema/requests.ts";
import { invalidRequest, ServiceError } from "#core/errors.ts";
import { newMerchantId } from "#core/ids.ts";
import { catchError } from "#test/support/catch-error.ts";
import { testDatabase } from "#test/support/stack.ts";

const SCOPE = "merchant POST /v1/payment-intents";

let database: Database;
let key: string;
beforeAll(async () => {
  database = connect(await testDatabase(), { application: "test", max: 3 });
});
beforeEach(() => {
  key = randomUUID();
});
afterAll(() => database?.$client.end());

/** Claims the key as another API process does. */
const ask = (body: object = { amount: "1.00" }) =>
  new Idempotency(database).claim({ scope: SCOPE, key, body });

async function claim(): Promise<Claim> {
  const claimed = await ask();
  if (typeof claimed === "string") throw new Error(`The key already has a response: ${claimed}`);
  return claimed;
}

/** Returns a first request whose lease has expired, and the retry that has taken over its key. */
async function takenOver() {
  const slow = await claim();
  await database
    .update(idempotencyKey)
    .set({ leaseUntil: sql`now() - interval '1 second'` })
    .where(and(eq(idempotencyKey.scope, SCOPE), eq(idempotencyKey.key, key)));
  return { slow, retry: await claim() };
}

/** Stores the response in the same transaction as the request's effect, which is a new merchant. */
const execute = (claimed: Claim, name: string) =>
  database.transaction(async (tx) => {
    await tx.insert(merchant).values({ id: newMerchantId(), name: `${name} ${key}`, account: "0x" });
    await claimed.store(tx, name);
  });

const effects = async () =>
  (await database.select().from(merchant))
    .map(({ name }) => name.split(" "))
    .flatMap(([name, owner]) => (owner === key ? [name] : []));

const expectInProgress = (error: unknown) => {
  expect(error).to.be.instanceOf(ServiceError);
  expect(error).to.include({ status: 503 });
};

describe("a request that is slower than its lease", () => {
  it("does not commit while a retry executes under its key, but the retry does", async () => {
    const { slow, retry } = await takenOver();
    expectInProgress(await catchError(execute(slow, "slow")));
    expect(await effects()).to.deep.equal([]);
    await execute(retry, "retry");
    expect(await effects()).to.deep.equal(["retry"]);
    expect(await ask()).to.equal("retry");
  });

  it("commits nothing after a retry has executed under its key: there is one effect and one stored response", async () => {
    const { slow, retry } = await takenOver();
    await execute(retry, "retry");
    expectInProgress(await catchError(execute(slow, "slow")));
    expectInProgress(await catchError(slow.keep("slow")));
    expect(await effects()).to.deep.equal(["retry"]);
    expect(await ask()).to.equal("retry");
  });

  it("does not free the key of the retry when it is rejected, and does not report the rejection", async () => {
    const { slow, retry } = await takenOver();
    expectInProgress(await slow.release(invalidRequest("The payment was canceled.")));
    await execute(retry, "retry");
    expect(await ask()).to.equal("retry");
  });
});

describe("an Idempotency-Key", () => {
  it("is not taken over by a different body, even after its request's lease has expired", async () => {
    await takenOver();
    await database.update(idempotencyKey).set({ leaseUntil: sql`now() - interval '1 second'` });
    const error = await catchError(ask({ amount: "2.00" }));
    expect(error).to.include({ status: 400 });
  });

  it("keeps the stored response when its request fails after its transaction has been committed", async () => {
    const stored = await claim();
    await execute(stored, "committed");
    await stored.release(invalidRequest("Failed later."));
    expect(await ask()).to.equal("committed");
  });

  it("is free again when its request's transaction is rolled back and rejected", async () => {
    const rejected = await claim();
    const cause = invalidRequest("Rejected.");
    const failed = database.transaction(async (tx) => {
      await rejected.store(tx, "never");
      throw cause;
    });
    expect(await catchError(failed)).to.equal(cause);
    expect(await rejected.release(cause)).to.equal(cause);
    await execute(await claim(), "second");
    expect(await ask()).to.equal("second");
  });
});
