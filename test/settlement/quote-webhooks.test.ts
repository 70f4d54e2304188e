// The webhooks of a quote-based provider only cause a poll, regardless of their content, number and order.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inArray } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import { startQuoteProvider } from "#scripts/provider/quotes.ts";
import { DEEP } from "../support/deep.ts";
import { bvnkTo } from "./support/bvnk.ts";
import { startProviderGateway } from "./support/provider-gateway.ts";
import { stateOf } from "./support/settled-world.ts";
import { OFF_RAMP } from "./support/world.ts";

const BANK = { method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" } as const;
const SLOW = { ...BANK, destination: "slow_account" } as const;
const MINUTE_MS = 60_000;

const FAULTS = [
  { what: "repeats its webhooks, and sends the later one first", fault: { copies: 3, reversed: true } },
  { what: "has its webhooks forged", fault: { forged: true } },
  { what: "sends none", fault: { silent: true } },
];
/** `npm test` tests the worst order of webhooks, the deep tests all of them. */
const TESTED = FAULTS.filter(({ fault }) => DEEP || "reversed" in fault);
const NO_FAULTS = { silent: false, copies: 1, reversed: false, forged: false };

type Gateway = Awaited<ReturnType<typeof startGateway>>;
const startGateway = () =>
  startProviderGateway(
    [...TESTED.map(() => BANK), BANK, SLOW],
    (webhookUrl) => startQuoteProvider({ webhookUrl, walletAddress: OFF_RAMP, minMs: 200, maxMs: 400 }),
    (database, provider) => bvnkTo(database, provider),
  );

let gateway: Gateway;
let left: string[];
beforeAll(async () => {
  gateway = await startGateway();
  left = [...gateway.ids];
});
afterAll(() => gateway?.stop());

describe("a payout by a quote", () => {
  it.each(TESTED)(
    "is paid once although the provider $what",
    async ({ fault }) => {
      const some = left.splice(0, 1);
      Object.assign(gateway.provider.faults.webhooks, fault);
      await gateway.payUntil(some, "completed");
      Object.assign(gateway.provider.faults.webhooks, NO_FAULTS);
      for (const row of await gateway.read(some)) {
        expect(gateway.provider.paid().get(row?.reference ?? "")).to.equal(1);
      }
    },
    30_000,
  );

  it("with an expired quote is priced again, and a late event about the expired quote does not order anything", async () => {
    const { provider, payUntil, read } = gateway;
    const some = left.splice(0, 1);
    provider.faults.expires = 2;
    await payUntil(some, "completed");
    const [row] = await read(some);
    const reference = row?.reference ?? "";
    expect(provider.quotesFor(reference)).to.equal(3);
    const body = JSON.stringify(event(reference, "EXPIRED"));
    const headers = { "X-Webhook-Signature": provider.sign(body) };
    expect((await fetch(gateway.url, { method: "POST", body, headers })).status).to.equal(200);
    await gateway.pay(some);
    expect((await read(some))[0]?.state).to.equal("completed");
    expect(provider.quotesFor(reference)).to.equal(3);
    expect(provider.paid().get(reference)).to.equal(1);
  }, 30_000);
});

const event = (reference: string, status: string, source = "quote") => ({
  ...{ source, event: "statusChanged", timestamp: new Date().toISOString() },
  data: { uuid: randomUUID(), reference, quoteStatus: status, payoutStatus: status },
});

describe("the webhook of a provider of quotes", () => {
  let id: string;
  let reference: string;
  beforeAll(async () => {
    gateway.provider.faults.webhooks.silent = true;
    [id = ""] = left.splice(0, 1);
    await gateway.pay([id]);
    const row = await stateOf(gateway.database, id);
    expect(row?.state).to.equal("submitted");
    reference = row?.reference ?? "";
  });

  /** @returns the response, and whether the payout became due, after checking that nothing else about it has changed */
  async function post(body: string, signature: string | undefined) {
    const { database, url } = gateway;
    const later = new Date(Date.now() + MINUTE_MS);
    await database
      .update(payout)
      .set({ nextAttemptAt: later })
      .where(inArray(payout.id, [id]));
    const before = await stateOf(database, id);
    const headers = signature === undefined ? undefined : { "X-Webhook-Signature": signature };
    const { status } = await fetch(url, { method: "POST", body, ...(headers && { headers }) });
    const after = await stateOf(database, id);
    expect({ ...after, nextAttemptAt: null }).to.deep.equal({ ...before, nextAttemptAt: null });
    return { status, due: (after?.nextAttemptAt?.getTime() ?? 0) < later.getTime() };
  }

  it("makes the payout due, with any status, order and number: only the quote itself is trusted", async () => {
    const statuses = ["COMPLETED", "PENDING", "PROCESSING", "RETURNED", "EXPIRED", "FAILED", "OF_TOMORROW"];
    for (const status of [...statuses, ...statuses.toReversed()]) {
      const body = JSON.stringify(event(reference, status));
      expect(await post(body, gateway.provider.sign(body)), status).to.deep.equal({ status: 200, due: true });
      await gateway.pay([id]);
      expect(["submitted", "completed"]).to.include((await stateOf(gateway.database, id))?.state);
    }
    expect(gateway.provider.quotesFor(reference)).to.equal(1);
  });

  it("is rejected without effect if it is not the provider's or is outdated", async () => {
    const { sign } = gateway.provider;
    const body = JSON.stringify(event(reference, "COMPLETED"));
    const good = sign(body);
    const refused: [number, string | undefined][] = [
      [401, undefined],
      [401, good.replace(/v0=..../, "v0=AAAA")],
      [401, sign(`${body} `)],
      [401, good.replace(/t=\d+/, `t=${Date.now() + 1}`)],
      [400, sign(body, Date.now() - 11 * MINUTE_MS)],
      [400, sign(body, Date.now() + 11 * MINUTE_MS)],
    ];
    for (const [status, signature] of refused) {
      expect(await post(body, signature), String(signature)).to.deep.equal({ status, due: false });
    }
    gateway.provider.faults.webhooks.forged = true;
    expect(await post(body, sign(body))).to.deep.equal({ status: 401, due: false });
    gateway.provider.faults.webhooks.forged = false;
    expect(await post("no JSON", sign("no JSON"))).to.deep.equal({ status: 400, due: false });
  });

  it("about an unknown quote is accepted, and changes nothing", async () => {
    const transfer = { event_category: "transfer", event_object: { client_reference_id: reference } };
    const others = [event(randomUUID(), "COMPLETED"), event(reference, "COMPLETED", "wallet"), transfer, {}];
    for (const other of others) {
      const body = JSON.stringify(other);
      expect(await post(body, gateway.provider.sign(body))).to.deep.equal({ status: 200, due: false });
    }
  });
});
