// Settlements: fiat payouts, visible to their merchant, as JSON and as CSV.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { fund, prove, untilStatus } from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

type Settlement = {
  id: string;
  paymentIntentId: string;
  amount: string;
  currency: string;
  destination: string;
  status: string;
  created: number;
  completed: number | null;
  fee: string;
  gas: string;
  deliveredAmount: string | null;
  deliveredCurrency: string | null;
  rate: string | null;
  settledExternally: boolean;
};
type List = { data: Settlement[]; has_more: boolean };

const DESTINATION = "=cmd|'/c calc'!A0_bank_123";

let stack: SharedStack;
let client: Client;
let stranger: Client;
let intentId: string;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  const changes = { autoRelease: true, amount: "12.50", settlementDestination: DESTINATION };
  intentId = (await fund(client, changes)).id;
  await prove(client, intentId);
  await untilStatus(client, intentId, "SETTLED", "FINAL");
}, 60_000);
afterAll(() => stack?.stop());

const listed = async (query = "", by = client): Promise<Settlement[]> => {
  const { status, body } = await by.get<List>(`/settlements${query}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.data;
};

describe("settlements", () => {
  it("are listed with the amount paid, and retrieved by id", async () => {
    const [settlement] = await listed();
    expect(settlement).to.include({
      paymentIntentId: intentId,
      amount: "12.50",
      currency: "USDC",
      status: "completed",
    });
    expect(settlement?.completed).to.be.a("number");
    const { body } = await client.get<Settlement>(`/settlements/${settlement?.id}`);
    expect(body).to.deep.equal(settlement);
  });

  it("show only the end of the account number", async () => {
    const { body } = await client.get(`/settlements?paymentIntentId=${intentId}`);
    expect(JSON.stringify(body)).to.include("…_123").and.not.include("bank_123");
  });

  it("are filtered by status, time and payment", async () => {
    const [{ created } = { created: 0 }] = await listed();
    expect(await listed("?status=completed")).to.have.length(1);
    expect(await listed("?status=failed")).to.have.length(0);
    expect(await listed(`?paymentIntentId=${intentId}`)).to.have.length(1);
    expect(await listed(`?created[gte]=${created}&created[lte]=${created}`)).to.have.length(1);
    expect(await listed(`?created[gte]=${created + 1}`)).to.have.length(0);
    expectError(await client.get("/settlements?status=paid"), 400, "invalid_request", "status");
  });

  it("of another merchant are not visible", async () => {
    const [settlement] = await listed();
    expect(await listed("", stranger)).to.deep.equal([]);
    expectError(await stranger.get(`/settlements/${settlement?.id}`), 403, "forbidden");
    expectError(await stranger.get(`/settlements?starting_after=${settlement?.id}`), 403, "forbidden");
    expectError(await stranger.get(`/settlements?paymentIntentId=${intentId}`), 403, "forbidden");
    expectError(await client.get("/settlements/payout_x"), 404, "resource_missing", "payoutId");
  });

  it("are exported as CSV, with the same filters and the same checks", async () => {
    const asked = (query: string, by = client) =>
      by.get<string>(`/settlements${query}`, { Accept: "text/csv" });
    const { headers, body } = await asked("");
    expect(headers.get("content-type")).to.include("text/csv");
    const [head = "", line = "", ...rest] = body.trim().split("\r\n");
    expect(head).to.match(/^id,paymentIntentId,amount,currency/);
    expect(line).to.include(`${intentId},12.50,USDC`).and.include("…_123");
    const cells = line.split(",");
    const row = Object.fromEntries(head.split(",").map((name, index) => [name, cells[index]]));
    const [shown] = await listed();
    for (const name of [
      "fee",
      "gas",
      "deliveredAmount",
      "deliveredCurrency",
      "rate",
      "settledExternally",
    ] as const) {
      expect(row[name], name).to.equal(String(shown?.[name] ?? ""));
    }
    expect(rest).to.deep.equal([]);
    expect((await asked("?status=failed")).body.trim()).to.equal(head);
    expect((await asked("", stranger)).body.trim()).to.equal(head);
    expectError(
      await client.get("/settlements?colour=red", { Accept: "text/csv" }),
      400,
      "invalid_request",
      "colour",
    );
  });
});
