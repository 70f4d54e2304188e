// Expanding a payment intent with related resources: expand[]=escrow, expand[]=settlements.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Escrow, type Intent } from "./support/client.ts";
import { create, fund, prove, untilStatus } from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

type Expanded = Intent & { escrow?: Escrow | null; settlements?: { id: string; paymentIntentId: string }[] };
type List = { data: Expanded[]; has_more: boolean };

const BOTH = "expand[]=escrow&expand[]=settlements";

let stack: SharedStack;
let client: Client;
let paid: string;
let open: string;
let conditional: string;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  paid = (await fund(client, { autoRelease: true })).id;
  await prove(client, paid);
  await untilStatus(client, paid, "SETTLED", "FINAL");
  open = (await create(client)).id;
  conditional = (await create(client, { type: "CONDITIONAL" })).id;
}, 60_000);
afterAll(() => stack?.stop());

async function read<T>(path: string): Promise<T> {
  const { status, body } = await client.get<T>(path);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}
const retrieved = (id: string, query = "") => read<Expanded>(`/payment-intents/${id}?${query}`);

/** Omits the fields that change if the bank's return window ends between two reads. */
const lasting = (escrow: Escrow | null | undefined) => {
  const { settlementStatus: _, updatedAt: __, ...data } = escrow?.data ?? {};
  return { ...escrow, data };
};

describe("an expanded payment intent", () => {
  it("has its escrow and its settlements as returned by their own operations", async () => {
    const { escrow, settlements, ...intent } = await retrieved(paid, BOTH);
    expectIntent(intent);
    expect(lasting(escrow)).to.deep.equal(lasting(await read<Escrow>(`/payment-intents/${paid}/escrow`)));
    const { data } = await read<{ data: object[] }>(`/settlements?paymentIntentId=${paid}`);
    expect(data).to.have.length(1);
    expect(settlements).to.deep.equal(data);
  });

  it("contains only what was requested", async () => {
    expect(await retrieved(paid)).not.to.have.any.keys("escrow", "settlements");
    expect(await retrieved(paid, "expand[]=escrow"))
      .to.have.property("escrow")
      .and.not.to.equal(null);
    expect(await retrieved(paid, "expand[]=escrow")).not.to.have.property("settlements");
    expect(await retrieved(paid, "expand%5B%5D=settlements")).not.to.have.property("escrow");
    expect(await retrieved(open, `${BOTH}&expand[]=escrow`)).to.deep.include({ settlements: [] });
    expect(await retrieved(conditional, BOTH)).to.deep.include({ escrow: null, settlements: [] });
  });

  it("can be listed, with filters and pagination", async () => {
    const all = await read<List>(`/payment-intents?${BOTH}`);
    expect(all.data.map(({ id }) => id)).to.deep.equal([conditional, open, paid]);
    const expanded = await Promise.all([conditional, open, paid].map((id) => retrieved(id, BOTH)));
    const belonging = ({ escrow, settlements }: Expanded) => ({ escrow: lasting(escrow), settlements });
    expect(all.data.map(belonging)).to.deep.equal(expanded.map(belonging));
    const page = await read<List>(`/payment-intents?limit=1&${BOTH}&starting_after=${conditional}`);
    expect(page.data.map(({ id, settlements }) => [id, settlements])).to.deep.equal([[open, []]]);
    expect(page.has_more).to.equal(true);
    const before = await read<List>(`/payment-intents?limit=2&${BOTH}&ending_before=${paid}`);
    expect(before.data.map(({ id }) => id)).to.deep.equal([conditional, open]);
    expect(before.has_more).to.equal(false);
  });

  it("is rejected for fields that cannot be expanded", async () => {
    for (const path of [`/payment-intents/${paid}`, "/payment-intents"]) {
      for (const query of ["expand[]=merchant", "expand[]=", `${BOTH}&expand[]=data.escrow`]) {
        expectError(await client.get(`${path}?${query}`), 400, "invalid_request", "expand[]");
      }
      for (const name of ["expand", "expand[0]"]) {
        expectError(await client.get(`${path}?${name}=escrow`), 400, "invalid_request", name);
      }
    }
  });

  it("is only visible to its merchant", async () => {
    const stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
    expectError(await stranger.get(`/payment-intents/${paid}?${BOTH}`), 403, "forbidden");
    expect((await stranger.get<List>(`/payment-intents?${BOTH}`)).body.data).to.deep.equal([]);
    // The public response contains neither of them.
    const { body } = await new Client(stack.baseUrl).get(`/payment-intents/public/${paid}?${BOTH}`);
    expect(body).not.to.have.any.keys("escrow", "settlements");
  });
});
