// The settlement's workers are away: what the API does needs none of them.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client } from "../api/support/client.ts";
import * as pay from "../api/support/payments.ts";
import { type Stack, startStack } from "../support/stack.ts";

let stack: Stack;
let client: Client;

beforeAll(async () => {
  stack = await startStack({ roles: ["indexer", "api"] });
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

describe("while nobody looks for receipts", () => {
  it("a payment is funded, and a proof taken right after another whose effect is shown already", async () => {
    const { id } = await pay.fund(client, { expectedDeliveryHash: pay.HASH_A });
    expect((await pay.prove(client, id, { proofHash: pay.HASH_B })).status).to.equal(200);
    const right = await pay.prove(client, id, { proofHash: pay.HASH_A });
    expect(right.status, JSON.stringify(right.body)).to.equal(200);
  });
});
