// Retrying a settlement whose payout failed (spec, "Payment intent status": REQUIRES_ACTION).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { inDeep } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { post } from "./support/escrow.ts";
import { create, fund, newPayer, prove, retrieve, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let stranger: Client;
let database: Postgres;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  database = new Postgres({ connectionString: stack.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
});

const retry = <T = Intent>(id: string, by = client) => post<T>(by, id, "settlement/retry");
const destination = (rule: string) => `${rule}_${randomBytes(6).toString("hex")}`;

async function failed(settlementDestination: string): Promise<Intent> {
  const { id } = await fund(client, { autoRelease: true, settlementDestination });
  await prove(client, id);
  return untilStatus(client, id, "REQUIRES_ACTION");
}

async function attemptsOf(id: string): Promise<string[]> {
  const { rows } = await database.query<{ state: string }>(
    "select state from gateway.payout where intent_id = decode(substr($1, 8), 'hex') order by attempt",
    [id],
  );
  return rows.map(({ state }) => state);
}

describe("a settlement that failed", () => {
  it("is REQUIRES_ACTION and FAILED; a retry makes it SETTLED, paid once", async () => {
    const intent = await failed(destination("fail_once"));
    expectIntent(intent);
    expect(intent.settlementStatus).to.equal("FAILED");
    const { status, body } = await retry(intent.id);
    expect(status, JSON.stringify(body)).to.equal(200);
    expectIntent(body);
    expect(body).to.include({ status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" });
    await untilStatus(client, intent.id, "SETTLED", "FINAL");
    expect(await attemptsOf(intent.id)).to.have.length(2);
    expectError(await retry(intent.id), 400, "invalid_state_transition");
  });

  inDeep("may fail again, and be retried again", async () => {
    const { id } = await failed(destination("fail"));
    expect((await retry(id)).status).to.equal(200);
    await untilStatus(client, id, "REQUIRES_ACTION");
    expect((await retry(id)).status).to.equal(200);
    await untilStatus(client, id, "REQUIRES_ACTION");
    expect(await attemptsOf(id)).to.deep.equal(["failed", "failed", "failed"]);
  });

  it("is retried once for two concurrent requests", async () => {
    const { id } = await failed(destination("fail_once"));
    const answers = await Promise.all([retry(id), retry(id)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect(await attemptsOf(id)).to.have.length(2);
  });

  it("can be neither confirmed nor canceled", async () => {
    const { id, data } = await failed(destination("refused"));
    const payer = newPayer();
    const signature = await payer.signTypedData(data.typedData);
    const confirmed = await post(client, id, "confirm", { signature, payerAddress: payer.address });
    expectError(confirmed, 400, "invalid_state_transition");
    expectError(await post(client, id, "cancel"), 400, "invalid_state_transition");
    expect(await retrieve(client, id)).to.include({ status: "REQUIRES_ACTION", settlementStatus: "FAILED" });
  });
});

describe("a retry", () => {
  it("is rejected if nothing has failed, and returns 404 for an unknown intent and 403 to other merchants", async () => {
    const { id } = await create(client);
    expectError(await retry(id), 400, "invalid_state_transition");
    expectError(await retry((await fund(client)).id), 400, "invalid_state_transition");
    expectError(await retry(`intent_${"0".repeat(64)}`), 404, "resource_missing", "intentId");
    expectError(await retry(id, stranger), 403, "forbidden");
  });
});
