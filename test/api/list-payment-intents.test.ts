// Listing payment intents (spec, operation 11).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { post } from "./support/escrow.ts";
import { create, fund, retrieve, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

type List = { object: string; data: Intent[]; has_more: boolean; url: string };

let stack: SharedStack;
let client: Client;
/** The client of a merchant with exactly twelve intents. */
let twelve: Client;
let ids: string[];

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  twelve = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  ids = [];
  for (let i = 0; i < 12; i++) ids.unshift((await create(twelve)).id);
});
afterAll(() => stack?.stop());

async function list(by: Client, query = ""): Promise<List> {
  const { status, body } = await by.get<List>(`/payment-intents${query}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}
const idsOf = ({ data }: List) => data.map(({ id }) => id);

async function pages(by: Client, limit: number, filter = "", between = async () => undefined as unknown) {
  const seen: string[] = [];
  for (let cursor = ""; ; cursor = `&starting_after=${seen.at(-1)}`) {
    const page = await list(by, `?limit=${limit}${filter}${cursor}`);
    expect(page.data.length).to.be.at.most(limit);
    seen.push(...idsOf(page));
    if (!page.has_more) return seen;
    await between();
  }
}

describe("the list", () => {
  it("contains the merchant's own intents as retrieve returns them, newest first, ten by default", async () => {
    const page = await list(twelve);
    expect(page).to.include({ object: "list", has_more: true });
    expect(page.url).to.match(/\/v1\/payment-intents$/);
    expect(idsOf(page)).to.deep.equal(ids.slice(0, 10));
    for (const intent of page.data) expectIntent(intent);
    expect(page.data[0]).to.deep.equal(await retrieve(twelve, ids[0] ?? ""));
  });

  it("reports in has_more whether there are more intents", async () => {
    expect((await list(twelve, "?limit=11")).has_more).to.equal(true);
    expect((await list(twelve, "?limit=12")).has_more).to.equal(false);
    const last = await list(twelve, `?starting_after=${ids.at(-1)}`);
    expect(last).to.deep.include({ data: [], has_more: false });
  });

  it.each([1, 5, 12, 100])("shows everything once in pages of %d", async (limit) => {
    expect(await pages(twelve, limit)).to.deep.equal(ids);
  });

  it("keeps its cursor during inserts: no duplicates, no gaps", async () => {
    const before: string[] = [];
    for (let i = 0; i < 6; i++) before.unshift((await create(client)).id);
    const seen = await pages(client, 2, "", () => Promise.all([create(client), create(client)]));
    expect(seen.slice(0, 6)).to.deep.equal(before);
    expect(new Set(seen).size).to.equal(seen.length);
  });

  it("keeps its cursor with filters, too, during inserts of matching and other rows", async () => {
    const batch = { metadata: { batch: randomUUID() } };
    const filters = `&metadata[batch]=${batch.metadata.batch}&currency=USDT&status=INITIATED&created[gte]=1`;
    const fitting = { ...batch, currency: "USDT" } as const;
    const before: string[] = [];
    for (let i = 0; i < 6; i++) {
      before.unshift((await create(client, fitting)).id);
      await create(client, batch);
    }
    const seen = await pages(client, 2, filters, () =>
      Promise.all([create(client, fitting), create(client, batch)]),
    );
    expect(seen).to.deep.equal(before);
  });

  it("shows each intent once even if several were created at the same time", async () => {
    const made = await Promise.all(Array.from({ length: 15 }, () => create(client)));
    const seen = await pages(client, 3);
    expect(new Set(seen).size).to.equal(seen.length);
    expect(seen).to.include.members(made.map(({ id }) => id));
  });
});

describe("filters", () => {
  it("narrow by the derived status", async () => {
    const funded = await fund(client);
    const canceled = await create(client);
    await post(client, canceled.id, "cancel");
    expect(idsOf(await list(client, "?status=SUCCEEDED&limit=100"))).to.deep.equal([funded.id]);
    expect(idsOf(await list(client, "?status=CANCELED&limit=100"))).to.deep.equal([canceled.id]);
    const open = await pages(client, 7, "&status=INITIATED");
    expect(open).not.to.include.members([funded.id]).and.not.to.include.members([canceled.id]);
    expect(await list(client, "?status=FINAL")).to.deep.include({ data: [], has_more: false });
  });

  it("narrow by currency, and by metadata, alone and together", async () => {
    const metadata = { order: "A 1&b=ü", n: 5 };
    const both = await create(client, { currency: "DAI", metadata });
    const dai = await create(client, { currency: "DAI" });
    expect(idsOf(await list(client, "?currency=DAI"))).to.deep.equal([dai.id, both.id]);
    const order = `metadata[order]=${encodeURIComponent(metadata.order)}`;
    expect(idsOf(await list(client, `?${order}`))).to.deep.equal([both.id]);
    expect(idsOf(await list(client, "?metadata[n]=5"))).to.deep.equal([both.id]);
    expect(idsOf(await list(client, `?currency=DAI&${order}&metadata[n]=5`))).to.deep.equal([both.id]);
    expect(idsOf(await list(client, `?currency=USDC&${order}`))).to.deep.equal([]);
    expect(idsOf(await list(client, `?metadata[${encodeURIComponent("' or 1=1 --")}]=x`))).to.deep.equal([]);
  });

  it("narrow by the time of creation, both seconds included", async () => {
    const { created } = await retrieve(twelve, ids[0] ?? "");
    const first = (await retrieve(twelve, ids.at(-1) ?? "")).created;
    const between = (from: number, to: number) =>
      list(twelve, `?created[gte]=${from}&created[lte]=${to}&limit=100`);
    expect(idsOf(await between(first, created))).to.deep.equal(ids);
    expect(idsOf(await between(created + 1, created + 9))).to.deep.equal([]);
    expect(idsOf(await between(0, first - 1))).to.deep.equal([]);
  });
});

describe("the merchant status", () => {
  it("describes a payment and filters the list, from shipment to refund", async () => {
    const metadata = { batch: randomUUID() };
    const held = await fund(client, { metadata });
    const shipped = await fund(client, { metadata });
    const refunded = await fund(client, { metadata });
    const open = await create(client, { metadata });
    await post(client, shipped.id, "escrow/ship");
    await post(client, refunded.id, "escrow/refund", { amount: "100.00" });
    await untilStatus(client, refunded.id, "CANCELED");
    const expected = [
      ["AWAITING_PAYMENT", open.id],
      ["IN_ESCROW", held.id],
      ["SHIPPED", shipped.id],
      ["REFUNDED", refunded.id],
    ] as const;
    for (const [word, id] of expected) {
      const page = await list(client, `?merchantStatus=${word}&metadata[batch]=${metadata.batch}`);
      expect(idsOf(page), word).to.deep.equal([id]);
      expect(page.data[0]?.data.merchantStatus).to.equal(word);
    }
    const both = `?status=SUCCEEDED&merchantStatus=SHIPPED&metadata[batch]=${metadata.batch}`;
    expect(idsOf(await list(client, both))).to.deep.equal([shipped.id]);
    expect(idsOf(await list(client, "?status=INITIATED&merchantStatus=FINAL"))).to.deep.equal([]);
  });
});

describe("a search", () => {
  const search = async (text: string, more = "") =>
    idsOf(await list(client, `?limit=100&query=${encodeURIComponent(text)}${more}`));
  const word = randomUUID().slice(0, 8);
  const description = `Café Ærø ${word}, size "L"`;
  let paid: Intent;
  let others: Intent[];

  beforeAll(async () => {
    paid = await fund(client, { description, metadata: { orderId: `A-${word}-7`, n: 4711 } });
    others = [await create(client, { description }), await create(twelve, { description })];
    // The payer becomes searchable when the transition is recorded, shortly after the new status is visible.
    await until(async () => (await search(paid.data.signerAddress ?? "")).length === 1, {
      what: "The payer's address being found",
      timeoutMs: 20_000,
    });
  });

  it("finds a payment by its id, and by half an id", async () => {
    expect(await search(paid.id)).to.deep.equal([paid.id]);
    expect(await search(paid.id.slice(0, 39))).to.deep.equal([paid.id]);
    expect(await search(paid.id.slice(7, 23))).to.deep.equal([paid.id]);
  });

  it("finds a payment by payer and transaction: in full, by either half, and as the dashboard shortens them", async () => {
    const payer = paid.data.signerAddress ?? "";
    const hash = paid.data.transactionHash ?? "";
    const parts = [payer, payer.slice(0, 22), payer.slice(-8), `${payer.slice(0, 6)}…${payer.slice(-4)}`];
    for (const part of [...parts, payer.toLowerCase(), hash, hash.slice(0, 34)]) {
      expect(await search(part), part).to.deep.equal([paid.id]);
    }
    expect(await search(`${payer.slice(0, -1)}${payer.endsWith("0") ? "1" : "0"}`)).to.deep.equal([]);
  });

  it("finds a payment by words of its description and values of its metadata, all of which must match", async () => {
    const both = [others[0]?.id, paid.id];
    expect(await search(word)).to.deep.equal(both);
    expect(await search(`CAFÉ ${word.slice(0, 6)}`)).to.deep.equal(both);
    expect(await search(`ærø ${word} 4711`)).to.deep.equal([paid.id]);
    expect(await search(`a-${word}-7`)).to.deep.equal([paid.id]);
    expect(await search(`${word} unheard`)).to.deep.equal([]);
    expect(await search(`"%_'; --`)).to.deep.equal([]);
  });

  it("finds an exact match among a hundred payments with the same prefix", async () => {
    const common = `parcel${randomUUID().slice(0, 8)}`;
    // A word of hexadecimal digits would also match the ids of other payments.
    const wanted = await create(client, { description: `${common} n500` });
    const numbers = Array.from({ length: 105 }, (_, number) => number);
    await Promise.all(numbers.map((number) => create(client, { description: `${common} n500${number}` })));
    expect(await search(`${common} n500`)).to.deep.equal([wanted.id]);
    expect(await search(`${common} n5007`), "n5007, n50070 to n50079").to.have.lengthOf(11);
    const other = `coffee${randomUUID().slice(0, 8)}`;
    await create(client, { description: `${other} n50` });
    expect(await search(`${common} n50`), "although another payment has the very word").to.have.lengthOf(100);
  });

  it("combines with every other filter and with pagination", async () => {
    expect(await search(word, "&status=SUCCEEDED")).to.deep.equal([paid.id]);
    expect(await search(word, "&merchantStatus=AWAITING_PAYMENT")).to.deep.equal([others[0]?.id]);
    expect(await search(word, `&starting_after=${others[0]?.id}`)).to.deep.equal([paid.id]);
    expect(await pages(client, 1, `&query=${word}`)).to.deep.equal([others[0]?.id, paid.id]);
  });

  it("never finds another merchant's payments", async () => {
    for (const text of [paid.id, paid.id.slice(0, 39), paid.data.signerAddress ?? "", `${word} 4711`]) {
      expect(idsOf(await list(twelve, `?query=${encodeURIComponent(text)}`)), text).to.deep.equal([]);
    }
    expect(idsOf(await list(twelve, `?query=${word}`))).to.deep.equal([others[1]?.id]);
  });

  it("follows a change of the description and the metadata", async () => {
    const { id } = await create(client, { description: `Before ${word}x` });
    await client.api.paymentIntents.update(id, {
      description: `After ${word}y`,
      metadata: { seat: `s${word}` },
    });
    expect(await search(`${word}x`)).to.deep.equal([]);
    expect(await search(`${word}y`)).to.deep.equal([id]);
    expect(await search(`s${word}`)).to.deep.equal([id]);
  });
});

describe("the export", () => {
  it("contains the rows that match the filters, and is safe to open in a spreadsheet", async () => {
    const batch = randomUUID();
    const made: string[] = [];
    for (const description of ["=1+1", "plain"]) {
      made.unshift((await create(client, { description, metadata: { batch, orderId: "7" } })).id);
    }
    const csv = await client.api.paymentIntents.exportCsv({ metadata: { batch } });
    expect(csv.headers.get("content-type")).to.contain("text/csv");
    const [head, ...lines] = (await csv.text()).trimEnd().split("\r\n");
    expect(head).to.match(/^id,created,merchantStatus,status,amount,currency,orderId,description,payer,/);
    expect(lines.map((line) => line.split(",")[0])).to.deep.equal(made);
    expect(lines[1]).to.contain(`,AWAITING_PAYMENT,INITIATED,100.00,USDC,7,"'=1+1",`);
  });
});

describe("an invalid list request is rejected:", () => {
  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=ten", "limit"],
    ["limit=", "limit"],
    ["limit=1&limit=2", "limit"],
    ["status=PAID", "status"],
    ["merchantStatus=PAID", "merchantStatus"],
    [`query=${"x".repeat(201)}`, "query"],
    ["status=succeeded", "status"],
    ["currency=EUR", "currency"],
    ["created[gte]=yesterday", "created[gte]"],
    ["created[lte]=-1", "created[lte]"],
    ["created[gt]=1", "created[gt]"],
    ["created=[]", "created"],
    ['created={"gte":1}', "created"],
    ["created=1", "created"],
    ["page=2", "page"],
    ["starting_after=intent_1&ending_before=intent_1", "ending_before"],
    ["metadata[a]=1&metadata[a]=2", "metadata[a]"],
    ["metadata=x", "metadata"],
  ])("%s", async (query, param) => {
    expectError(await client.get(`/payment-intents?${query}`), 400, "invalid_request", param);
  });

  it("an unknown cursor, or another merchant's", async () => {
    const unknown = `intent_${"0".repeat(64)}`;
    for (const cursor of [unknown, "x", "", "%00"]) {
      const { status } = await client.get(`/payment-intents?starting_after=${cursor}`);
      expect(status, cursor).to.be.oneOf([400, 404]);
    }
    expectError(
      await client.get(`/payment-intents?starting_after=${unknown}`),
      404,
      "resource_missing",
      "starting_after",
    );
    expectError(await client.get(`/payment-intents?starting_after=${ids[0]}`), 403, "forbidden");
  });
});
