// Effects of time: locks, dispute windows, delivery deadlines, return windows and funding deadlines. This file starts
// its own chain so that it can advance the time.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { until } from "#scripts/shared/wait.ts";
import { DEEP } from "#test/support/deep.ts";
import { checkoutOf } from "../api/support/authorizations.ts";
import { Client, type ErrorBody, type Intent } from "../api/support/client.ts";
import {
  actOnChain,
  payerOf,
  post,
  readUsdcBalance,
  retrieveEscrow,
  untilEscrow,
} from "../api/support/escrow.ts";
import * as pay from "../api/support/payments.ts";
import { signIn } from "../api/support/session.ts";
import { orderMessage } from "../support/order-messages.ts";
import { type Stack, startStack } from "../support/stack.ts";

const RETURN_WINDOW_S = 3_600;
const WEEK_S = 604_800;
const MONTH_S = 2_592_000;
const TIMEOUT_MS = 20_000;

let stack: Stack;
let client: Client;
let chain: pay.LocalChain;

beforeAll(async () => {
  stack = await startStack({ env: { RETURN_WINDOW: String(RETURN_WINDOW_S), TEST_CLOCK: "on" } });
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  chain = pay.createChainClient(stack.rpcUrl);
});
afterAll(() => stack?.stop());

const chainTime = async () => Number((await chain.getBlock()).timestamp);

async function pass(seconds: number): Promise<void> {
  await chain.increaseTime({ seconds });
  await chain.mine({ blocks: 1 });
}

type Event = { type: string; created: number; data: { object: Record<string, unknown> } };

const eventsOf = async (id: string): Promise<Event[]> =>
  (await client.get<{ data: Event[] }>(`/events?paymentIntentId=${id}&limit=100`)).body.data.toReversed();

type Clock = { object: string; livemode: boolean; time: number };

const advance = (seconds: number, headers: Record<string, string> = {}, by = client) =>
  by.post<Clock & ErrorBody>("/test/clock/advance", { seconds }, headers);

const untilEvent = (id: string, type: string): Promise<Event> =>
  until(async () => (await eventsOf(id)).find((event) => event.type === type) ?? null, {
    what: `${type} of ${id}`,
    timeoutMs: TIMEOUT_MS,
  });

async function actorOf(id: string, action: string): Promise<unknown> {
  const { body } = await client.get<{ data: { action: string; actor: unknown }[] }>(
    `/audit-logs?paymentIntentId=${id}&action=${action}`,
  );
  return body.data[0]?.actor;
}

/** Raises the payer's own dispute. A merchant's dispute would resume the order when its window ends. */
async function dispute({ id, data }: Intent, payer: PrivateKeyAccount, window = 60n): Promise<void> {
  const reason = "Broken.";
  const deadline = BigInt(await chainTime()) + 3_600n;
  const payerSignature = await payer.signTypedData(
    orderMessage(data.typedData, "Dispute", { reason, window, deadline }),
  );
  const { status, body } = await post(client, id, "escrow/dispute", {
    ...{ reason, raisedBy: payer.address, disputeWindow: String(window), payerSignature },
    signatureDeadline: String(deadline),
  });
  expect(status, JSON.stringify(body)).to.equal(200);
}

describe("a time lock that expires while the service is down", () => {
  it.skipIf(!DEEP)("is released as soon as it is up again", async () => {
    const timeLockUntil = (await chainTime()) + 3_600;
    const metadata = { releaseType: "TIME_LOCKED", timeLockUntil: String(timeLockUntil) };
    const { id } = await pay.fund(client, { metadata });
    expect((await pay.prove(client, id)).status).to.equal(200);
    await untilEscrow(client, id, { orderStatus: "DELIVERED", settlementStatus: "NONE" });
    await stack.kill("settlement");
    await pass(3_601);
    await stack.restart("settlement");
    await pay.untilStatus(client, id, "SETTLED", "FINAL");
    await untilEvent(id, "conditional_payment.released");
    expect(await actorOf(id, "conditional_payment.released")).to.deep.equal({ type: "system", id: null });
  });
});

describe("a settled payment", () => {
  it("becomes FINAL after the bank's return window, not before, and an event reports it", async () => {
    const { id } = await pay.fund(client, { autoRelease: true });
    await pay.prove(client, id);
    await pay.untilStatus(client, id, "SETTLED");
    await advance(RETURN_WINDOW_S - 60);
    expect((await pay.retrieve(client, id)).status).to.equal("SETTLED");
    await advance(61);
    const final = await pay.untilStatus(client, id, "FINAL");
    expect(final.settlementStatus).to.equal("COMPLETED");
    expect(await retrieveEscrow(client, id)).to.include({
      orderStatus: "COMPLETED",
      settlementStatus: "CONFIRMED",
    });
    await untilEvent(id, "payment_intent.final");
  });
});

describe("a dispute that expires undecided", () => {
  it("goes to the payer without a valid proof: BUYER_WON, CANCELED, emitted as the service's action", async () => {
    const payer = pay.newPayer();
    const intent = await pay.fund(client, {}, payer);
    const { id } = intent;
    await dispute(intent, payer);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("DISPUTED");
    await pass(61);
    await pay.untilStatus(client, id, "CANCELED");
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("CANCELLED");
    expect(await readUsdcBalance(stack, payer.address)).to.equal(100_000_000n);
    const { data } = await untilEvent(id, "dispute.resolved");
    expect(data.object).to.include({ outcome: "BUYER_WON", resolution: "TIMEOUT" });
    expect(await actorOf(id, "dispute.resolved")).to.deep.equal({ type: "system", id: null });
  });

  it("goes to the merchant with one: MERCHANT_WON, and it is paid out", async () => {
    const payer = pay.newPayer();
    const intent = await pay.fund(client, {}, payer);
    const { id } = intent;
    expect((await pay.prove(client, id)).status).to.equal(200);
    await dispute(intent, payer);
    await pass(61);
    await pay.untilStatus(client, id, "SETTLED", "FINAL");
    const { data } = await untilEvent(id, "dispute.resolved");
    expect(data.object).to.include({ outcome: "MERCHANT_WON", resolution: "TIMEOUT" });
    expect(await readUsdcBalance(stack, payer.address)).to.equal(0n);
  });
});

describe("a payer whose delivery never arrived", () => {
  it("reclaims the money after the delivery deadline, and the payment is shown as CANCELED", async () => {
    const payer = payerOf(stack);
    const { id } = await pay.fund(client, { deliveryPeriod: 60 }, payer);
    const before = await readUsdcBalance(stack, payer.address);
    await pass(61);
    await actOnChain(stack, privateKeyToAccount(stack.payer.privateKey), id, "reclaim");
    const escrow = await untilEscrow(client, id, { orderStatus: "CANCELLED" });
    expect(escrow).to.include({ settlementStatus: "CANCELLED", releasedAt: null });
    await pay.untilStatus(client, id, "CANCELED");
    expect(await readUsdcBalance(stack, payer.address)).to.equal(before + 100_000_000n);
    const { data } = await untilEvent(id, "conditional_payment.refunded");
    expect(data.object).to.include({ refundedAmount: "100.00", releasedAmount: "0.00" });
    await untilEvent(id, "payment_intent.canceled");
  });
});

describe("a payment that nobody funds", () => {
  it("becomes CANCELED after its funding deadline by the chain's time, and an event reports it", async () => {
    const { id } = await pay.create(client);
    expect((await pay.retrieve(client, id)).status).to.equal("INITIATED");
    await pass(WEEK_S + 60);
    const expired = await pay.untilStatus(client, id, "CANCELED");
    expect(expired.settlementStatus).to.equal(null);
    await untilEvent(id, "payment_intent.canceled");
  });
});

// Runs after the other tests, which have moved the chain's clock a week ahead of the machine's clock.
describe("a payment that is created on a chain whose clock is ahead", () => {
  const timeLocked = (timeLockUntil: number) => ({
    metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(timeLockUntil) },
  });

  const fundingDeadlineOf = async (intent: Intent) =>
    (await checkoutOf(client, intent)).terms.fundingDeadline;

  it("can be funded", async () => {
    const intent = await pay.create(client);
    expect(await fundingDeadlineOf(intent)).to.be.above(await chainTime());
    await pay.confirm(client, intent);
    await pay.untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("has a lock in the past if the chain is past it, regardless of the local time", async () => {
    const lock = (await chainTime()) - 3_600;
    expect(lock).to.be.above(Date.now() / 1_000 + 3_600);
    const intent = await pay.create(client, timeLocked(lock));
    expect(await fundingDeadlineOf(intent)).to.be.above(lock);
    await pay.confirm(client, intent);
    await pay.untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("is funded before its lock if the lock is in the future", async () => {
    const lock = (await chainTime()) + 3_600;
    const intent = await pay.create(client, timeLocked(lock));
    expect(await fundingDeadlineOf(intent)).to.equal(lock);
  });
});

describe("the test clock", () => {
  it("moves the chain's time, visible in the next response, once per Idempotency-Key, and is audited", async () => {
    const leaps = async () => {
      const { body } = await client.get<{ data: { actor: { type: string } }[] }>(
        "/audit-logs?action=test_clock.advance",
      );
      return body.data.map(({ actor }) => actor.type);
    };
    const earlier = await leaps();
    const before = await chainTime();
    const key = { "Idempotency-Key": "a-leap" };
    const [first, again] = [await advance(3_600, key), await advance(3_600, key)];
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    expect(first.body).to.include({ object: "test_clock", livemode: false });
    expect(first.body.time).to.be.within(before + 3_600, before + 3_660);
    expect(again.body).to.deep.equal(first.body);
    expect(first.headers.get("x-ratelimit-limit")).to.be.a("string");
    expect(await chainTime()).to.be.below(before + 2 * 3_600);
    expect((await client.get<Clock>("/test/clock")).body.time).to.be.at.least(first.body.time);
    expect(await leaps()).to.deep.equal([...earlier, "api_key"]);
  });

  it("requires the release permission, and can advance to the end of 2099", async () => {
    const user = await signIn(stack);
    const { body } = await user.post<{ secret: string }>("/api-keys", { access: "no_release" });
    const restricted = new Client(stack.baseUrl, body.secret);
    expect((await advance(60, {}, restricted)).status).to.equal(403);
    expect((await restricted.get("/test/clock")).status).to.equal(200);
    expect((await advance(60, {}, new Client(stack.baseUrl))).status).to.equal(401);
    for (const seconds of [0, -1, 1.5, 31_622_401]) {
      expect((await advance(seconds)).body.error).to.include({ code: "invalid_request", param: "seconds" });
    }
  });

  it("skips a 30-day dispute in seconds, after which payments work normally", async () => {
    const startedAt = performance.now();
    const payer = pay.newPayer();
    const intent = await pay.fund(client, {}, payer);
    await dispute(intent, payer, BigInt(MONTH_S));
    expect((await advance(MONTH_S - 60)).status).to.equal(200);
    expect((await retrieveEscrow(client, intent.id)).orderStatus).to.equal("DISPUTED");
    expect((await advance(61)).status).to.equal(200);
    await pay.untilStatus(client, intent.id, "CANCELED");
    const { data } = await untilEvent(intent.id, "dispute.resolved");
    expect(data.object).to.include({ outcome: "BUYER_WON", resolution: "TIMEOUT" });
    expect(performance.now() - startedAt).to.be.below(10_000);

    const next = await pay.create(client, { autoRelease: true });
    expect((await checkoutOf(client, next)).terms.fundingDeadline).to.be.above(await chainTime());
    await pay.confirm(client, next);
    await pay.untilStatus(client, next.id, "SUCCEEDED");
    await pay.prove(client, next.id);
    await pay.untilStatus(client, next.id, "SETTLED", "FINAL");
  });
});
