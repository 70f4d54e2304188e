// Creating, listing, retrieving and completing milestones (spec, operations 9 and 10).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { until } from "#scripts/shared/wait.ts";
import { inDeep } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { actOnChain, payerOf, post, readUsdcBalance, retrieveEscrow } from "./support/escrow.ts";
import { create, fund, newPayer, prove, retrieve, untilStatus } from "./support/payments.ts";
import * as is from "./support/shapes.ts";
import { expectError, expectShape } from "./support/shapes.ts";

type Milestone = { id: string; object: string; data: Record<string, unknown> };
type List = { object: string; data: Milestone[]; has_more: boolean; url: string };

let stack: SharedStack;
let client: Client;
let stranger: Client;
let database: Postgres;
const completedBy = newPayer().address;

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

const LOCKED = { metadata: { releaseType: "MILESTONE_LOCKED" } };
const plan = <T = Milestone>(id: string, milestoneIndex: unknown, amount: unknown, more: object = {}) =>
  post<T>(client, id, "escrow/milestones", { milestoneIndex, amount, ...more });
const complete = <T>(id: string, milestoneId: string, body: object = { completedBy }, by = client) =>
  post<T>(by, id, `escrow/milestones/${milestoneId}/complete`, body);
const loadMilestones = async (id: string) =>
  (await client.get<List>(`/payment-intents/${id}/escrow/milestones`)).body.data;
const loadStatuses = async (id: string) => (await loadMilestones(id)).map(({ data }) => data.status);

async function planAll(id: string, ...amounts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, amount] of amounts.entries()) {
    const { status, body } = await plan(id, index, amount);
    expect(status, JSON.stringify(body)).to.equal(200);
    ids.push(body.id);
  }
  return ids;
}

describe("creating a milestone", () => {
  it("returns the spec's envelope with PENDING, before and after funding", async () => {
    const intent = await create(client, LOCKED);
    const { status, body } = await plan(intent.id, 0, "40", { description: "Hull", percentage: 40 });
    expect(status, JSON.stringify(body)).to.equal(200);
    expectShape(body, {
      id: is.text,
      object: is.oneOf("milestone"),
      data: (value) => expect(value).to.be.an("object"),
    });
    expectShape(body.data, {
      id: is.oneOf(body.id),
      conditionalPaymentId: is.oneOf((await retrieveEscrow(client, intent.id)).id),
      paymentIntentId: is.oneOf(intent.id),
      milestoneIndex: is.oneOf(0),
      description: is.oneOf("Hull"),
      amount: is.oneOf("40.00"),
      percentage: is.oneOf(40),
      status: is.oneOf("PENDING"),
      createdAt: is.iso,
    });
    const funded = await fund(client, LOCKED);
    const later = await plan<{ data: { status: string } }>(funded.id, 0, "100.00");
    expect([later.status, later.body.data.status]).to.deep.equal([200, "PENDING"]);
  });

  it("is possible only for MILESTONE_LOCKED payments", async () => {
    for (const releaseType of ["DELIVERY_PROOF", "AUTO_RELEASE"]) {
      const { id } = await create(client, { metadata: { releaseType } });
      expectError(await plan(id, 0, "1.00"), 400, "invalid_request");
    }
    const { id } = await create(client, { type: "CONDITIONAL" });
    expectError(await plan(id, 0, "1.00"), 400, "invalid_request");
  });

  it("rejects a repeated index, and a sum above the order's amount", async () => {
    const { id } = await create(client, LOCKED);
    await planAll(id, "60.00");
    expectError(await plan(id, 0, "1.00"), 400, "invalid_request", "milestoneIndex");
    expectError(await plan(id, 1, "40.000001"), 400, "invalid_request", "amount");
    expect((await plan(id, 1, "40.00")).status).to.equal(200);
    expectError(await plan(id, 2, "0.000001"), 400, "invalid_request", "amount");
  });

  it("never lets concurrent requests share an index, or exceed the amount together", async () => {
    const { id } = await create(client, LOCKED);
    const same = await Promise.all([plan(id, 0, "1.00"), plan(id, 0, "1.00")]);
    expect(same.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const both = await Promise.all([plan(id, 1, "60.00"), plan(id, 2, "60.00")]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
  });

  it("reports which field of the body is invalid", async () => {
    const { id } = await create(client, LOCKED);
    const cases: [unknown, unknown, object, string, string?][] = [
      [undefined, "1.00", {}, "milestoneIndex"],
      [-1, "1.00", {}, "milestoneIndex"],
      [1.5, "1.00", {}, "milestoneIndex"],
      ["0", "1.00", {}, "milestoneIndex"],
      [1_000, "1.00", {}, "milestoneIndex"],
      [0, undefined, {}, "amount"],
      [0, 5, {}, "amount"],
      [0, "0", {}, "amount", "invalid_request_error"],
      [0, "-1", {}, "amount", "invalid_request_error"],
      [0, "1.1234567", {}, "amount"],
      [0, "1.00", { percentage: -1 }, "percentage"],
      [0, "1.00", { percentage: 100.1 }, "percentage"],
      [0, "1.00", { percentage: "40" }, "percentage"],
      [0, "1.00", { description: 5 }, "description"],
      [0, "1.00", { more: 1 }, "more"],
    ];
    for (const [index, amount, more, param, code = "invalid_request"] of cases) {
      expectError(await plan(id, index, amount, more), 400, code, param);
    }
    for (const percentage of [0, 0.5, 100]) {
      expect((await plan(id, Math.round(percentage * 2), "1.00", { percentage })).status).to.equal(200);
    }
  });

  it("is rejected for a canceled intent, an unknown one (404) and another merchant's (403)", async () => {
    const { id } = await create(client, LOCKED);
    await post(client, id, "cancel");
    expectError(await plan(id, 0, "1.00"), 400, "invalid_status");
    expectError(await plan(`intent_${"0".repeat(64)}`, 0, "1.00"), 404, "resource_missing", "intentId");
    const body = { milestoneIndex: 0, amount: "1.00" };
    expectError(await post(stranger, id, "escrow/milestones", body), 403, "forbidden");
  });
});

describe("completing a milestone", () => {
  it("is possible only after funding, in index order, and once for each milestone", async () => {
    const { id } = await create(client, LOCKED);
    const [first = "", second = ""] = await planAll(id, "50.00", "50.00");
    expectError(await complete(id, first), 400, "invalid_status");
    const funded = await fund(client, LOCKED);
    const [one = "", two = ""] = await planAll(funded.id, "50.00", "50.00");
    expectError(await complete(funded.id, two), 400, "invalid_request", "milestoneId");
    const { status, body } = await complete<object>(funded.id, one, {
      completedBy,
      completionProof: "Signed off",
      completionProofURI: "ipfs://hull",
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.equal({ object: "milestone", status: "completed" });
    expectError(await complete(funded.id, one), 400, "invalid_request", "milestoneId");
    expect((await complete(funded.id, two)).status).to.equal(200);
    expect(await loadStatuses(funded.id)).to.deep.equal(["COMPLETED", "COMPLETED"]);
    // A milestone of another order is not found.
    expectError(await complete(funded.id, second), 404, "resource_missing", "milestoneId");
  });

  it("with auto-release releases and pays out each milestone until the payment is SETTLED", async () => {
    const { id } = await fund(client, { ...LOCKED, autoRelease: true });
    const [one = "", two = ""] = await planAll(id, "30.00", "70.00");
    expect((await complete(id, one)).status).to.equal(200);
    await until(async () => (await loadStatuses(id))[0] === "RELEASED", {
      what: "The release",
      timeoutMs: 20_000,
    });
    expect(await loadStatuses(id)).to.deep.equal(["RELEASED", "PENDING"]);
    expectError(await complete(id, one), 400, "invalid_request", "milestoneId");
    expect((await complete(id, two)).status).to.equal(200);
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect(await loadStatuses(id)).to.deep.equal(["RELEASED", "RELEASED"]);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("COMPLETED");
  });

  it("without auto-release leaves the money in the escrow until the payer releases it on chain", async () => {
    const payer = payerOf(stack);
    const { id } = await fund(client, LOCKED, payer);
    const [only = ""] = await planAll(id, "100.00");
    expect((await complete(id, only)).status).to.equal(200);
    expect(await loadStatuses(id)).to.deep.equal(["COMPLETED"]);
    expect(await retrieveEscrow(client, id)).to.include({ settlementStatus: "NONE", releasedAt: null });
    await actOnChain(stack, payer, id, "releaseMilestone", 100_000_000n);
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect(await loadStatuses(id)).to.deep.equal(["RELEASED"]);
    expectError(await complete(id, only), 400, "invalid_request", "milestoneId");
  });

  it("cannot be replaced by a delivery proof or by escrow/release", async () => {
    const { id } = await fund(client, { ...LOCKED, autoRelease: true });
    await planAll(id, "100.00");
    expect((await prove(client, id)).status).to.equal(200);
    expect(await retrieveEscrow(client, id)).to.include({ orderStatus: "DELIVERED", releasedAt: null });
    expectError(await post(client, id, "escrow/release"), 400, "invalid_request");
  });

  it("reports an invalid field of the body, and returns 404 for an unknown milestone and 403 to other merchants", async () => {
    const { id } = await fund(client, LOCKED);
    const [only = ""] = await planAll(id, "100.00");
    const cases: [object, string][] = [
      [{}, "completedBy"],
      [{ completedBy: "me" }, "completedBy"],
      [{ completedBy, completionProof: 5 }, "completionProof"],
      [{ completedBy, completionProofURI: "x".repeat(2_049) }, "completionProofURI"],
      [{ completedBy, more: 1 }, "more"],
    ];
    for (const [body, param] of cases)
      expectError(await complete(id, only, body), 400, "invalid_request", param);
    expectError(await complete(id, "milestone_unknown"), 404, "resource_missing", "milestoneId");
    expectError(await complete(id, only, { completedBy }, stranger), 403, "forbidden");
    expect(await loadStatuses(id)).to.deep.equal(["PENDING"]);
  });
});

describe("a payment in milestones", () => {
  /** Returns the amounts that the bank was instructed to pay, in the smallest unit. */
  const loadPaidAmounts = async (id: string): Promise<string[]> => {
    const { rows } = await database.query<{ amount: string }>(
      `select t.amount::text from mock_bank.transfer t join gateway.payout p using (reference)
       where p.intent_id = decode(substr($1, 8), 'hex') order by p.settlement_number, p.part`,
      [id],
    );
    return rows.map(({ amount }) => amount);
  };
  const untilPaid = (id: string, ...amounts: string[]) =>
    until(async () => JSON.stringify(await loadPaidAmounts(id)) === JSON.stringify(amounts), {
      what: `The payouts ${amounts}`,
      timeoutMs: 30_000,
    });

  inDeep(
    "is paid out part by part as each milestone is completed, and is SETTLED only with the last",
    async () => {
      const { id } = await fund(client, { ...LOCKED, autoRelease: true });
      const [one = "", two = "", three = ""] = await planAll(id, "20.00", "30.00", "50.00");
      expect((await complete(id, one)).status).to.equal(200);
      await untilPaid(id, "20000000");
      expect(await retrieveEscrow(client, id)).to.include({ orderStatus: "PENDING", releasedAt: null });
      expect((await complete(id, two)).status).to.equal(200);
      await untilPaid(id, "20000000", "30000000");
      expect((await retrieve(client, id)).status).to.equal("SUCCEEDED");
      expect(await loadStatuses(id)).to.deep.equal(["RELEASED", "RELEASED", "PENDING"]);
      expect((await complete(id, three)).status).to.equal(200);
      await untilStatus(client, id, "SETTLED", "FINAL");
      expect(await loadPaidAmounts(id)).to.deep.equal(["20000000", "30000000", "50000000"]);
      // A settlement changes updated_tx_hash but not operation_tx_hash, by which the API recognizes its own call.
      const { rows } = await database.query(
        `select o.operation_tx_hash = m.tx_hash as moved, o.updated_tx_hash = s.tx_hash as updated
       from chain."order" o join chain.milestone_release m on m.order_id = o.id
       join chain.settlement s on s.order_id = o.id
       where o.id = decode(substr($1, 8), 'hex') order by m.released desc, s.block desc limit 1`,
        [id],
      );
      expect(rows).to.deep.equal([{ moved: true, updated: true }]);
    },
  );

  it("is paid out part by part even if the payer releases all milestones in quick succession", async () => {
    const payer = payerOf(stack);
    const { id } = await fund(client, LOCKED, payer);
    await planAll(id, "20.00", "30.00", "50.00");
    for (const total of [20_000_000n, 50_000_000n, 100_000_000n]) {
      await actOnChain(stack, payer, id, "releaseMilestone", total);
    }
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect((await loadPaidAmounts(id)).sort()).to.deep.equal(["20000000", "30000000", "50000000"]);
  });

  inDeep(
    "leaves the released amount to the merchant and the rest to the payer if it is refunded halfway",
    async () => {
      const payer = newPayer();
      const { id } = await fund(client, { ...LOCKED, autoRelease: true }, payer);
      const [one = ""] = await planAll(id, "20.00", "80.00");
      expect((await complete(id, one)).status).to.equal(200);
      expect((await post(client, id, "escrow/refund")).status).to.equal(200);
      await untilStatus(client, id, "SETTLED", "FINAL");
      expect(await loadPaidAmounts(id)).to.deep.equal(["20000000"]);
      expect(await readUsdcBalance(stack, payer.address)).to.equal(80_000_000n);
      expect((await retrieveEscrow(client, id)).orderStatus).to.equal("CANCELLED");
    },
  );

  inDeep("splits only the rest if it is disputed halfway", async () => {
    const payer = newPayer();
    const { id } = await fund(client, { ...LOCKED, autoRelease: true }, payer);
    const [one = "", two = ""] = await planAll(id, "20.00", "80.00");
    expect((await complete(id, one)).status).to.equal(200);
    const raised = await post(client, id, "escrow/dispute", { reason: "Late.", raisedBy: payer.address });
    expect(raised.status).to.equal(200);
    expectError(await complete(id, two), 400, "invalid_status");
    const outcome = { outcome: "PARTIAL_REFUND", merchantAmount: "30.00" };
    expect((await post(client, id, "escrow/dispute/resolve", outcome)).status).to.equal(200);
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect((await loadPaidAmounts(id)).sort()).to.deep.equal(["20000000", "30000000"]);
    expect(await readUsdcBalance(stack, payer.address)).to.equal(50_000_000n);
  });
});

describe("milestones", () => {
  it("are listed in index order, and retrieved one by one", async () => {
    const { id } = await create(client, LOCKED);
    for (const index of [2, 0, 1]) expect((await plan(id, index, "10.00")).status).to.equal(200);
    const { body } = await client.get<List>(`/payment-intents/${id}/escrow/milestones`);
    expect(body).to.include({ object: "list", has_more: false });
    expect(body.data.map(({ data }) => data.milestoneIndex)).to.deep.equal([0, 1, 2]);
    for (const milestone of body.data) {
      const one = await client.get<Milestone>(`/payment-intents/${id}/escrow/milestones/${milestone.id}`);
      expect(one.body).to.deep.equal(milestone);
    }
    const path = `/payment-intents/${id}/escrow/milestones`;
    expectError(await client.get(`${path}/unknown`), 404, "resource_missing", "milestoneId");
    expectError(await stranger.get(path), 403, "forbidden");
  });
});
