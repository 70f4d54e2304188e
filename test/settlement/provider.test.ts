// Payouts through an HTTP provider that is slow, unavailable or silent, or sends false responses. Each payout is paid
// once, and its outcome is found.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { eq, inArray } from "drizzle-orm";
import { connect, type Database } from "#core/db/client.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import { noAllocation } from "#core/payouts/no-allocation.ts";
import { type ProviderFaults, type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { TransferRefused } from "#settlement/off-ramp/off-ramp.ts";
import { testDatabase } from "#test/support/stack.ts";
import { DEEP } from "../support/deep.ts";
import { bridgeTo } from "./support/bridge.ts";
import { startProviderGateway } from "./support/provider-gateway.ts";
import { type Destination, stateOf } from "./support/settled-world.ts";
import { OFF_RAMP } from "./support/world.ts";

/** Long enough for a response on a busy machine, and short enough to detect a response that never arrives. */
const TIMEOUT_MS = 1_500;
const TIMES = { minMs: 200, maxMs: 400 };
const BANK = { method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" } as const;
const RTP = { method: "OFF_RAMP_TO_RTP", destination: "9876543210" } as const;

const startGateway = (destinations: Destination[]) =>
  startProviderGateway(
    destinations,
    (webhookUrl) => startProvider({ webhookUrl, walletAddress: OFF_RAMP, ...TIMES }),
    (database, provider) => bridgeTo(database, provider, { timeoutMs: TIMEOUT_MS }),
  );

type Gateway = Awaited<ReturnType<typeof startGateway>>;
type Fault = (faults: ProviderFaults) => void;

/** Faults after which a payout could be lost or made twice are `always` tested, the others in the deep tests. */
const FAULTS: { what: string; fault: Fault; first?: PayoutState; always?: true }[] = [
  { what: "answers slowly", fault: (faults) => Object.assign(faults, { delayMs: 100 }), first: "submitted" },
  { what: "is down at first", fault: (faults) => Object.assign(faults, { down: true }), first: "created" },
  {
    what: "does not answer in time, but does what it was asked",
    fault: (faults) => Object.assign(faults, { losesAnswers: true }),
    first: "quarantined",
    always: true,
  },
  {
    what: "repeats its webhooks, and sends the later one first",
    fault: ({ webhooks }) => Object.assign(webhooks, { copies: 3, reversed: true }),
  },
  { what: "has its webhooks forged", fault: ({ webhooks }) => Object.assign(webhooks, { forged: true }) },
];
const TESTED = FAULTS.filter(({ always }) => DEEP || always);
const NO_FAULTS = { down: false, delayMs: 0, losesAnswers: false };
const NO_WEBHOOK_FAULTS = { silent: false, copies: 1, reversed: false, forged: false };

describe("a payout through the provider", () => {
  const AWRY = ["fail_account", "returned_account", "refused_account"];
  let gateway: Gateway;
  let left: string[];
  beforeAll(async () => {
    const awry = AWRY.map((destination) => ({ ...BANK, destination }));
    gateway = await startGateway([...TESTED.flatMap(() => [BANK, RTP]), ...awry]);
    left = [...gateway.ids];
  });
  afterAll(() => gateway?.stop());

  it.each(TESTED)(
    "is paid once although the provider $what",
    async ({ fault, first = "submitted" }) => {
      const { provider, pay, payUntil, read } = gateway;
      const some = left.splice(0, 2);
      fault(provider.faults);
      await pay(some);
      expect((await read(some)).map((row) => row?.state)).to.deep.equal([first, first]);
      Object.assign(provider.faults, NO_FAULTS);
      await payUntil(some, "completed");
      Object.assign(provider.faults.webhooks, NO_WEBHOOK_FAULTS);
      for (const row of await read(some)) expect(provider.paid().get(row?.reference ?? "")).to.equal(1);
    },
    30_000,
  );

  it("fails permanently or is returned, as the provider reports", async () => {
    const { payUntil, read, provider } = gateway;
    const some = left.splice(0);
    await payUntil(some, "failed", "returned");
    const rows = await read(some);
    expect(rows.map((row) => row?.state)).to.deep.equal(["failed", "returned", "failed"]);
    expect(rows[2]?.failure).to.equal("refused by the provider (invalid_account_number)");
    for (const row of rows) expect(provider.paid().get(row?.reference ?? "")).to.equal(undefined);
  }, 30_000);

  it("never exists without an order", () => {
    expect(gateway.provider.paid().size).to.equal(2 * TESTED.length);
  });
});

describe("the provider's webhook", () => {
  let gateway: Gateway;
  let reference: string;
  const SOON = 60_000;

  beforeAll(async () => {
    gateway = await startGateway([{ ...BANK, destination: "slow_account" }]);
    gateway.provider.faults.webhooks.silent = true;
    await gateway.pay(gateway.ids);
    const row = await stateOf(gateway.database, gateway.ids[0] ?? "");
    expect(row?.state).to.equal("submitted");
    reference = row?.reference ?? "";
  });
  afterAll(() => gateway?.stop());

  const event = (about = reference, category = "transfer") =>
    JSON.stringify({
      event_id: randomUUID(),
      event_category: category,
      event_object: { id: "transfer_1", client_reference_id: about, state: "payment_processed" },
    });

  /** Posts a webhook. Returns the response and whether a payout became due. */
  async function post(body: string, signature: string | undefined) {
    const { database, ids, url } = gateway;
    const later = new Date(Date.now() + SOON);
    await database.update(payout).set({ nextAttemptAt: later }).where(inArray(payout.id, ids));
    const before = await stateOf(database, ids[0] ?? "");
    const headers = signature === undefined ? undefined : { "X-Webhook-Signature": signature };
    const { status } = await fetch(url, { method: "POST", body, ...(headers && { headers }) });
    const after = await stateOf(database, ids[0] ?? "");
    expect({ ...after, nextAttemptAt: null }).to.deep.equal({ ...before, nextAttemptAt: null });
    return { status, due: (after?.nextAttemptAt?.getTime() ?? 0) < later.getTime() };
  }

  it("makes the payout due, and changes nothing else, however often it arrives", async () => {
    const body = event();
    const signature = gateway.provider.sign(body);
    for (let i = 0; i < 3; i++) {
      expect(await post(body, signature)).to.deep.equal({ status: 200, due: true });
    }
  });

  it("is rejected without effect if it is not the provider's or is outdated", async () => {
    const { sign } = gateway.provider;
    const body = event();
    const [good, minute] = [sign(body), 60_000];
    const refused: [number, string | undefined][] = [
      [401, undefined],
      [401, ""],
      [401, "t=1,v0=AAAA"],
      [401, good.replace(/v0=..../, "v0=AAAA")],
      [401, sign(`${body} `)],
      [401, good.replace(/t=\d+/, `t=${Date.now() + 1}`)],
      [400, sign(body, Date.now() - 11 * minute)],
      [400, sign(body, Date.now() + 11 * minute)],
    ];
    for (const [status, signature] of refused) {
      expect(await post(body, signature), String(signature)).to.deep.equal({ status, due: false });
    }
    gateway.provider.faults.webhooks.forged = true;
    expect(await post(body, sign(body))).to.deep.equal({ status: 401, due: false });
    gateway.provider.faults.webhooks.forged = false;
    const odd = "no JSON";
    expect(await post(odd, sign(odd))).to.deep.equal({ status: 400, due: false });
  });

  it("about an unknown transfer is accepted, and changes nothing", async () => {
    for (const body of [event(randomUUID()), event(reference, "customer"), "{}", "null"]) {
      expect(await post(body, gateway.provider.sign(body))).to.deep.equal({ status: 200, due: false });
    }
  });

  it("does not change a payout that a worker may be ordering", async () => {
    const { database, ids, provider } = gateway;
    const body = event();
    for (const state of ["created", "quarantined", "failed"] as const) {
      await database
        .update(payout)
        .set({ state, ...noAllocation })
        .where(inArray(payout.id, ids));
      expect(await post(body, provider.sign(body))).to.deep.equal({ status: 200, due: false });
    }
    await database.update(payout).set({ state: "submitted" }).where(eq(payout.reference, reference));
  });

  it("is counted by its response", async () => {
    const counted = await gateway.metrics.metrics();
    for (const status of [200, 400, 401]) {
      expect(counted).to.match(new RegExp(`^off_ramp_webhooks_total\\{status="${status}"\\} [1-9]`, "m"));
    }
  });

  it("is not read if it is larger than any event", async () => {
    const { status } = await fetch(gateway.url, { method: "POST", body: "x".repeat(300_000) });
    expect(status).to.equal(413);
  });

  it("is truncated while it arrives if it has no length", async () => {
    const { hostname, port, pathname } = new URL(gateway.url);
    const socket = connectTcp(Number(port), hostname);
    const answer = Promise.withResolvers<string>();
    socket.once("data", (data) => answer.resolve(data.toString("latin1")));
    const closed = once(socket, "close");
    // The server closes the connection while the client is sending.
    socket.on("error", () => undefined);
    const chunk = "x".repeat(65_536);
    const head = `POST ${pathname} HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.write(head);
    let sent = 0;
    while (!socket.destroyed && socket.writable && sent < 100 * chunk.length) {
      sent += chunk.length;
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      await Promise.race([closed, delay(5)]);
    }
    expect(await answer.promise).to.match(/^HTTP\/1.1 413 /);
    await closed;
    expect(sent).to.be.below(100 * chunk.length);
  }, 15_000);

  it("is the only route on its port", async () => {
    for (const path of ["/metrics", "/health", "/ready", "/"]) {
      expect((await fetch(new URL(path, gateway.url))).status, path).to.equal(404);
    }
    expect((await fetch(gateway.url)).status).to.equal(405);
  });
});

describe("the provider's response", () => {
  let provider: SimulatedProvider;
  let database: Database;
  const order = () => ({
    ...{ reference: randomUUID(), amount: 5_000_000n, currency: "USDC" as const, beneficiary: "Merchant" },
    wallet: "wallet_gateway",
    ...BANK,
  });
  const errorOf = (work: Promise<unknown>): Promise<Error | undefined> =>
    work.then(
      () => undefined,
      (error: Error) => error,
    );

  beforeAll(async () => {
    database = connect(await testDatabase(), { application: "provider" });
    provider = startProvider({ webhookUrl: "http://127.0.0.1:1", walletAddress: OFF_RAMP, ...TIMES });
  });
  afterAll(() => Promise.all([database?.$client.end(), provider?.stop()]));

  it("that denies access is not a rejection of the transfer, and says nothing about a key", async () => {
    const strangers = {
      ...provider,
      environment: { ...provider.environment, OFF_RAMP_API_KEY: "wrong-key" },
    };
    const error = await errorOf(bridgeTo(database, strangers).create(order()));
    expect(error).not.to.be.instanceOf(TransferRefused);
    expect(error?.message).to.equal("The provider responded with 401 (invalid_credentials).");
  });

  it("that the key was used with a different body means that there is a transfer, which is found", async () => {
    const [offRamp, wanted] = [bridgeTo(database, provider), order()];
    const first = await offRamp.create(wanted);
    const again = await offRamp.create({ ...wanted, amount: 1n, notBefore: new Date(Date.now() - 60_000) });
    expect(again.providerId).to.equal(first.providerId);
    expect(again.amount).to.equal(wanted.amount);
  });

  it("that a key has expired does not prevent payments to an account, and never orders a transfer twice", async () => {
    const forgetful = startProvider({
      webhookUrl: "http://127.0.0.1:1",
      walletAddress: OFF_RAMP,
      ...TIMES,
      keysLastMs: -1,
    });
    const wanted = order();
    const first = await bridgeTo(database, forgetful).create(wanted);
    const restarted = bridgeTo(database, forgetful);
    const { providerId } = await restarted.create({ ...wanted, reference: randomUUID() });
    expect(providerId).not.to.equal(first.providerId);
    expect((await restarted.create(wanted)).providerId).to.equal(first.providerId);
    await forgetful.stop();
  });

  it("that a key has expired is not a rejection, although its list does not contain the transfer", async () => {
    const answer = ({ method, url }: Request) => {
      if (method === "GET") return Response.json({ data: [] });
      if (!url.endsWith("/transfers")) return Response.json({ id: "account" });
      return Response.json({ code: "idempotency_key_reused" }, { status: 422 });
    };
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    const OFF_RAMP_API_URL = `http://127.0.0.1:${server.port}`;
    const elsewhere = { ...provider, environment: { ...provider.environment, OFF_RAMP_API_URL } };
    const error = await errorOf(bridgeTo(database, elsewhere).create(order()));
    expect(error).not.to.be.instanceOf(TransferRefused);
    expect(error?.message).to.equal("The provider responded with 422 (idempotency_key_reused).");
    await server.stop(true);
  });

  it("about a different transfer, in a different format or from a different source is ignored", async () => {
    const answers = [
      () => Response.json({ data: "none" }),
      () => new Response("<html>", { status: 200 }),
      () => Response.redirect(provider.environment.OFF_RAMP_API_URL ?? "", 302),
      () => Response.json({ code: "unavailable", message: "account 9876543210" }, { status: 503 }),
    ];
    for (const answer of answers) {
      const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
      const OFF_RAMP_API_URL = `http://127.0.0.1:${server.port}`;
      const offRamp = bridgeTo(database, {
        ...provider,
        environment: { ...provider.environment, OFF_RAMP_API_URL },
      });
      for (const ask of [() => offRamp.lookUp(randomUUID()), () => offRamp.create(order())]) {
        const error = await errorOf(ask());
        expect(error).to.be.instanceOf(Error).and.not.instanceOf(TransferRefused);
        expect(error?.message).not.to.include("9876543210");
      }
      await server.stop(true);
    }
  });

  it("with unusual transfers and short pages in its list is still read to the end", async () => {
    const wanted = { id: "ours", client_reference_id: randomUUID(), created_at: new Date().toISOString() };
    const times = { updated_at: wanted.created_at, state: "payment_submitted", amount: "5.0" };
    const ours = { ...wanted, ...times, source: { currency: "usdc", bridge_wallet_id: "wallet_gateway" } };
    const odd = { id: "odd", created_at: wanted.created_at, source: { currency: 7 } };
    const pages = new Map([
      [null, [odd]],
      ["odd", [ours]],
    ] as [string | null, object[]][]);
    const answer = ({ url }: Request) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/transfers/ours") return Response.json(ours);
      return Response.json({ data: pages.get(searchParams.get("starting_after")) ?? [] });
    };
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    const OFF_RAMP_API_URL = `http://127.0.0.1:${server.port}`;
    const offRamp = bridgeTo(database, {
      ...provider,
      environment: { ...provider.environment, OFF_RAMP_API_URL },
    });
    expect(await offRamp.lookUp(wanted.client_reference_id)).to.include({ providerId: "ours" });
    const listed = await Array.fromAsync(offRamp.transfers({ since: new Date(0) }));
    expect(listed.map(({ providerId }) => providerId)).to.deep.equal(["ours"]);
    await server.stop(true);
  });

  it("is found beyond the first page of its list", async () => {
    const offRamp = bridgeTo(database, provider, { timeoutMs: 4_500 });
    const since = new Date();
    const first = await offRamp.create(order());
    // More orders at a time would take seconds on a busy machine.
    for (let i = 0; i < 24; i++) await Promise.all(Array.from({ length: 5 }, () => offRamp.create(order())));
    // Reading a long list may take longer than one look-up. The caller then retries, like a worker.
    const found = await until(
      () =>
        offRamp.lookUp(first.reference).catch((error: Error) => {
          if (!error.message.includes("has not been read completely")) throw error;
          return null;
        }),
      { what: "The first transfer", timeoutMs: 30_000 },
    );
    expect(found?.providerId).to.equal(first.providerId);
    const listed = await Array.fromAsync(offRamp.transfers({ since }));
    expect(listed).to.have.length(121);
  });
});
