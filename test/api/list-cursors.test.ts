// The pages of every list: after a row, before a row, at both ends, and with a filter.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { openApiDocument, type Parameter, resolved } from "../support/openapi-document.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { confirm, create, fund, prove, untilStatus } from "./support/payments.ts";
import { routesOf } from "./support/routes.ts";
import { signIn } from "./support/session.ts";
import { expectError } from "./support/shapes.ts";
import { addEndpoint, sendTest } from "./support/webhook-endpoints.ts";

type Page = { data: { id: string }[]; has_more: boolean };
/** `narrowed` is a filter that matches every row. */
type Listed = { path: string; by: Client; stranger: Client; narrowed: string };

/** A URL where nothing listens. */
const NOBODY = "http://127.0.0.1:9/webhooks";

let stack: SharedStack;
let client: Client;
let stranger: Client;
let endpointId: string;

/** Every paginated list. */
const LISTS: Record<string, () => Promise<Listed> | Listed> = {
  "/payment-intents": () => mine("/payment-intents", "currency=USDC&created[gte]=1"),
  "/events": () => mine("/events", "type=payment_intent.*"),
  "/settlements": () => mine("/settlements", "status=completed"),
  "/audit-logs": () => mine("/audit-logs", "created[gte]=1"),
  "/webhook-endpoints": () => mine("/webhook-endpoints", "created[gte]=1"),
  "/webhook-endpoints/{endpointId}/deliveries": () =>
    mine(`/webhook-endpoints/${endpointId}/deliveries`, "created[gte]=1"),
  "/api-keys": async () => {
    const by = await signIn(stack);
    for (let i = 0; i < 3; i++) await by.post("/api-keys", {});
    return { path: "/api-keys", by, stranger: by, narrowed: "" };
  },
};

const mine = (path: string, narrowed: string): Listed => ({ path, by: client, stranger, narrowed });

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  const paid = await Promise.all([1, 2, 3].map(() => fund(client, { autoRelease: true })));
  for (const { id } of paid) await prove(client, id);
  await Promise.all(paid.map(({ id }) => untilStatus(client, id, "SETTLED", "FINAL")));
  const endpoints = [];
  for (const path of ["a", "b", "c"]) endpoints.push(await addEndpoint(client, `${NOBODY}/${path}`));
  const [endpoint] = endpoints;
  if (!endpoint) throw new Error("No endpoint was made.");
  endpointId = endpoint.id;
  for (let i = 0; i < 3; i++) await sendTest(client, endpoint);
}, 90_000);
afterAll(() => stack?.stop());

async function read({ path, by }: Listed, query: string): Promise<Page> {
  const { status, body } = await by.get<Page>(`${path}?${query}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}
const idsOf = ({ data }: Page) => data.map(({ id }) => id);

/** Reads pages of two rows in one direction. Returns the ids in the list's order, newest first. */
async function pages(list: Listed, cursor: "starting_after" | "ending_before", first: string, filter = "") {
  const seen: string[] = [];
  for (let at = first; ; ) {
    const page = await read(list, `limit=2&${filter}&${cursor}=${at}`);
    if (cursor === "starting_after") seen.push(...idsOf(page));
    else seen.unshift(...idsOf(page));
    if (!page.has_more) return seen;
    at = (cursor === "starting_after" ? seen.at(-1) : seen[0]) ?? "";
  }
}

describe("pages", () => {
  it("are tested for every paginated list, each of which can be read in both directions", () => {
    const names = (route: ReturnType<typeof routesOf>[number]) =>
      (route.operation.parameters ?? []).map((one) => resolved<Parameter>(one).name);
    const routes = routesOf(openApiDocument).filter((route) => names(route).includes("starting_after"));
    expect(Object.keys(LISTS)).to.have.members(routes.map(({ template }) => template));
    for (const route of routes) expect(names(route), route.template).to.include("ending_before");
  });

  it.each(Object.entries(LISTS))("of %s lead from one end to the other and back", async (_, listed) => {
    const list = await listed();
    const unfiltered = await read(list, "limit=100");
    expect(unfiltered.has_more).to.equal(false);
    for (const filter of new Set(["", list.narrowed])) {
      const all = filter === "" ? idsOf(unfiltered) : idsOf(await read(list, `limit=100&${filter}`));
      expect(all.length, filter).to.be.at.least(3);
      const [first = "", last = ""] = [all[0], all.at(-1)];
      expect(await pages(list, "starting_after", first, filter)).to.deep.equal(all.slice(1));
      expect(await pages(list, "ending_before", last, filter)).to.deep.equal(all.slice(0, -1));
      // The page contains the rows next to the cursor, not the newest rows.
      const page = await read(list, `limit=1&${filter}&ending_before=${last}`);
      expect(page).to.deep.include({ has_more: true });
      expect(idsOf(page)).to.deep.equal([all.at(-2) ?? ""]);
      for (const [cursor, end] of [
        ["ending_before", first],
        ["starting_after", last],
      ]) {
        expect(await read(list, `${filter}&${cursor}=${end}`)).to.deep.include({ data: [], has_more: false });
      }
    }
  });

  it.each(Object.entries(LISTS))(
    "of %s accept one cursor, which must name one of the caller's own rows",
    async (_, listed) => {
      const { path, by, stranger: other } = await listed();
      const [id = ""] = idsOf(await read({ path, by, stranger: other, narrowed: "" }, ""));
      const both = await by.get(`${path}?starting_after=${id}&ending_before=${id}`);
      expectError(both, 400, "invalid_request", "ending_before");
      const unknown = id.replace(/[0-9a-f]{20}$/, "0".repeat(20));
      expectError(await by.get(`${path}?ending_before=${unknown}`), 404, "resource_missing", "ending_before");
      if (other !== by) expectError(await other.get(`${path}?ending_before=${id}`), 403, "forbidden");
    },
  );

  it("read backward include newer rows, with their current status", async () => {
    const { id } = await create(client);
    const newer = [await create(client), await create(client)];
    const [one] = newer;
    if (!one) throw new Error("Nothing was made.");
    const list = mine("/payment-intents", "");
    const open = `status=INITIATED&ending_before=${id}`;
    expect(idsOf(await read(list, open))).to.deep.equal(newer.map((intent) => intent.id).reverse());
    await confirm(client, one);
    expect(idsOf(await read(list, open))).to.deep.equal([newer[1]?.id ?? ""]);
    await untilStatus(client, one.id, "SUCCEEDED");
    expect(idsOf(await read(list, `status=SUCCEEDED&ending_before=${id}`))).to.deep.equal([one.id]);
  });
});
