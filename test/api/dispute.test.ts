// Raising a dispute (spec, operation 8).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq } from "drizzle-orm";
import type { Hex } from "viem";
import { connect } from "#core/db/client.ts";
import { transactionOrder } from "#core/db/schema/transactions.ts";
import { orderMessage } from "../support/order-messages.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import { post, readOrder, retrieveEscrow } from "./support/escrow.ts";
import { create, fund, newPayer, prove, retrieve, untilStatus } from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let stranger: Client;
const payer = newPayer();

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
});
afterAll(() => stack?.stop());

const dispute = <T>(id: string, body: object = {}, by = client) =>
  post<T>(by, id, "escrow/dispute", { reason: "Nothing came.", raisedBy: payer.address, ...body });

/** The number of disputes of this order that the relayer has stored. */
async function raisedBefore({ databaseUrl }: SharedStack, id: string): Promise<number> {
  const database = connect(databaseUrl, { max: 1, application: "test" });
  const orderId = id.replace("intent_", "0x") as Hex;
  try {
    return await database.$count(
      transactionOrder,
      and(eq(transactionOrder.orderId, orderId), eq(transactionOrder.purpose, "raise_dispute")),
    );
  } finally {
    await database.$client.end();
  }
}

describe("raising a dispute", () => {
  it("returns {object, status}, and the order is DISPUTED with the reason, the raiser and the window", async () => {
    const { id } = await fund(client, {}, payer);
    const { status, body } = await dispute<object>(id);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.equal({ object: "dispute", status: "raised" });
    const escrow = await retrieveEscrow(client, id);
    expect(escrow).to.include({
      orderStatus: "DISPUTED",
      disputeReason: "Nothing came.",
      disputeRaisedBy: payer.address,
      disputeWindow: "604800",
      releasedAt: null,
    });
    const chainTime = Number(escrow.disputeRaisedAt);
    expect(chainTime).to.be.within(Date.now() / 1000 - 600, Date.now() / 1000 + 600);
    expect((await retrieve(client, id)).data).to.include({ status: "SUCCEEDED", disputed: true });
  });

  it("is possible for the merchant's account, with its address in upper or lower case", async () => {
    const { id } = await fund(client, {}, payer);
    const account = String(stack.merchants[0]?.account);
    expect((await dispute(id, { raisedBy: account.toLowerCase() })).status).to.equal(200);
    expect((await retrieveEscrow(client, id)).disputeRaisedBy).to.equal(account);
  });

  it("accepts common windows, as strings and as numbers, from the shortest to the longest", async () => {
    const windows = ["60", 86_400, "259200", "1209600", 2_592_000];
    await Promise.all(
      windows.map(async (disputeWindow) => {
        const { id } = await fund(client, {}, payer);
        const { status, body } = await dispute(id, { disputeWindow });
        expect(status, JSON.stringify(body)).to.equal(200);
        expect((await retrieveEscrow(client, id)).disputeWindow).to.equal(String(disputeWindow));
      }),
    );
  });

  const sign = ({ data }: Intent, window: bigint, deadline: bigint) =>
    payer.signTypedData(
      orderMessage(data.typedData, "Dispute", { reason: "Nothing came.", window, deadline }),
    );

  it("with a merchant's key counts as the merchant's dispute even if the body names the payer, and does not use up the payer's dispute", async () => {
    const { id } = await fund(client, {}, payer);
    expect((await dispute(id, { disputeWindow: "60" })).status).to.equal(200);
    expect(await retrieveEscrow(client, id)).to.include({
      disputeSide: "MERCHANT",
      disputeRaisedBy: payer.address,
    });
    const { disputedByPayer, disputedByMerchant } = await readOrder(stack, id);
    expect({ disputedByPayer, disputedByMerchant }).to.deep.equal({
      disputedByPayer: false,
      disputedByMerchant: true,
    });
  });

  it("with the payer's signature counts as the payer's dispute", async () => {
    const intent = await fund(client, {}, payer);
    const { id } = intent;
    const signed = {
      payerSignature: await sign(intent, 86_400n, 4_000_000_000n),
      signatureDeadline: "4000000000",
      disputeWindow: "86400",
    };
    expectError(
      await dispute(id, { ...signed, signatureDeadline: undefined }),
      400,
      "invalid_request",
      "signatureDeadline",
    );
    expectError(
      await dispute(id, { ...signed, payerSignature: undefined }),
      400,
      "invalid_request",
      "payerSignature",
    );
    const account = String(stack.merchants[0]?.account);
    expectError(await dispute(id, { ...signed, raisedBy: account }), 400, "invalid_request", "raisedBy");
    const longer = { ...signed, disputeWindow: "86401" };
    expectError(await dispute(id, longer), 400, "signature_verification_failed", "payerSignature");
    const { status, body } = await dispute<object>(id, signed);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await retrieveEscrow(client, id)).to.include({
      disputeSide: "PAYER",
      disputeRaisedBy: payer.address,
    });
    expect((await readOrder(stack, id)).disputedByMerchant).to.equal(false);
  });

  describe("by the merchant while a time lock runs", () => {
    const now = () => Math.floor(Date.now() / 1000);
    const locked = (seconds: number) => {
      const lock = now() + seconds;
      return { lock, metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(lock) } };
    };

    it("ends before the lock: the default window is shortened only if necessary", async () => {
      const { lock, metadata } = locked(3_600);
      const { id } = await fund(client, { metadata }, payer);
      expect((await post(client, id, "escrow/ship")).status).to.equal(200);
      const { status, body } = await dispute<object>(id);
      expect(status, JSON.stringify(body)).to.equal(200);
      const escrow = await retrieveEscrow(client, id);
      expect(escrow).to.include({ orderStatus: "DISPUTED", disputeSide: "MERCHANT" });
      const end = Number(escrow.disputeRaisedAt) + Number(escrow.disputeWindow);
      expect(end).to.be.within(lock - 178, lock - 60);
      for (const seconds of [-3_600, 29 * 86_400]) {
        const other = await fund(client, { metadata: locked(seconds).metadata }, payer);
        expect((await dispute(other.id)).status).to.equal(200);
        expect((await retrieveEscrow(client, other.id)).disputeWindow).to.equal("604800");
      }
    });

    it("is rejected with a longer window, naming the maximum, and nothing is sent", async () => {
      const { lock, metadata } = locked(3_600);
      const { id } = await fund(client, { metadata }, payer);
      const ask = (disputeWindow: unknown) => dispute<ErrorBody>(id, { disputeWindow });
      for (const disputeWindow of ["604800", 3_600, String(lock - now())]) {
        expectError(await ask(disputeWindow), 400, "invalid_request", "disputeWindow");
      }
      const { message } = (await ask("604800")).body.error;
      const [, longest = ""] = /allows 60 to (\d+) seconds/.exec(message) ?? [];
      expect(Number(longest), message).to.be.within(3_340, 3_540);
      expect(await raisedBefore(stack, id)).to.equal(0);
      const { status, body } = await ask(longest);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect((await retrieveEscrow(client, id)).disputeWindow).to.equal(longest);
    });

    it("is rejected if not even the shortest window fits, unlike the payer's own dispute", async () => {
      const intent = await fund(client, { metadata: locked(140).metadata }, payer);
      const { id } = intent;
      for (const disputeWindow of [undefined, "60", "604800"]) {
        expectError(await dispute(id, { disputeWindow }), 400, "invalid_status");
      }
      expect(await raisedBefore(stack, id)).to.equal(0);
      const { status, body } = await dispute<object>(id, {
        payerSignature: await sign(intent, 604_800n, 4_000_000_000n),
        signatureDeadline: "4000000000",
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(await retrieveEscrow(client, id)).to.include({ disputeSide: "PAYER", disputeWindow: "604800" });
    });
  });

  it("reports which field of the body is invalid, and changes nothing", async () => {
    const { id } = await fund(client, {}, payer);
    const windows = [
      "59",
      59,
      "2592001",
      2_592_001,
      "0",
      "-60",
      "60.5",
      60.5,
      "1e5",
      "",
      " 60",
      "a week",
      null,
    ];
    const cases: [object, string][] = [
      ...windows.map((disputeWindow): [object, string] => [{ disputeWindow }, "disputeWindow"]),
      [{ reason: undefined }, "reason"],
      [{ reason: "" }, "reason"],
      [{ reason: "  " }, "reason"],
      [{ reason: 5 }, "reason"],
      [{ reason: "x".repeat(1_001) }, "reason"],
      [{ raisedBy: undefined }, "raisedBy"],
      [{ raisedBy: "me" }, "raisedBy"],
      [{ raisedBy: newPayer().address }, "raisedBy"],
      [{ more: 1 }, "more"],
    ];
    for (const [body, param] of cases) expectError(await dispute(id, body), 400, "invalid_request", param);
    expect(await retrieveEscrow(client, id)).to.include({ orderStatus: "PENDING", disputeRaisedAt: null });
  });

  it("is rejected before funding, a second time, and after completion, each with its own code", async () => {
    expectError(await dispute((await create(client)).id), 400, "invalid_status");
    const { id } = await fund(client, {}, payer);
    expect((await dispute(id)).status).to.equal(200);
    expectError(await dispute(id), 400, "invalid_request");
    const done = await fund(client, { autoRelease: true }, payer);
    await prove(client, done.id);
    expectError(await dispute(done.id), 400, "invalid_status");
    await untilStatus(client, done.id, "SETTLED", "FINAL");
    expectError(await dispute(done.id), 400, "invalid_status");
  });

  it("takes effect once for two concurrent requests", async () => {
    const { id } = await fund(client, {}, payer);
    const answers = await Promise.all([dispute(id), dispute(id)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
  });

  it("pauses the release: no proof is accepted, and no other operation changes the order", async () => {
    const { id } = await fund(client, { autoRelease: true }, payer);
    expect((await dispute(id)).status).to.equal(200);
    expectError(await prove(client, id), 400, "invalid_status");
    const disputed = { orderStatus: "DISPUTED", settlementStatus: "NONE", releasedAt: null };
    expect(await retrieveEscrow(client, id)).to.include(disputed);
    for (const path of ["escrow/ship", "escrow/refund"]) {
      expectError(await post(client, id, path), 400, "invalid_status");
    }
    const manual = await fund(client, {}, payer);
    await dispute(manual.id);
    expectError(await post(client, manual.id, "escrow/release"), 400, "invalid_status");
    expect(await retrieveEscrow(client, id)).to.include(disputed);
  });

  it("returns 404 for a missing intent, 403 to other merchants, and 400 for a CONDITIONAL payment", async () => {
    expectError(await dispute(`intent_${"0".repeat(64)}`), 404, "resource_missing", "intentId");
    expectError(await dispute((await create(client)).id, {}, stranger), 403, "forbidden");
    const conditional = await create(client, { type: "CONDITIONAL" });
    expectError(await dispute(conditional.id), 400, "invalid_request");
  });
});
