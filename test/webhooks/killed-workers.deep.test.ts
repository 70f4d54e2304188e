// Webhook deliveries whose workers are killed.
import { afterAll, beforeAll, it } from "bun:test";
import { expect } from "chai";
import { Client } from "#test/api/support/client.ts";
import { addEndpoint, deliveriesOf, sendTest, untilDelivery } from "#test/api/support/webhook-endpoints.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { Receiver } from "./support/receiver.ts";

let stack: Stack;
const receiver = new Receiver();

beforeAll(async () => {
  stack = await startStack({ env: { WEBHOOK_RETRY_MS: "300,600,1200" } });
});
afterAll(async () => {
  await receiver.stop();
  await stack?.stop();
});

it("deliveries that were created before the workers died are sent by the next workers", async () => {
  const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  const endpoint = await addEndpoint(client, receiver.url);
  await stack.kill("settlement");
  await sendTest(client, endpoint);
  expect((await deliveriesOf(client, endpoint))[0]).to.deep.include({ status: "pending" });
  await stack.restart("settlement");
  await receiver.untilReceived(1);
  await untilDelivery(client, endpoint, ({ status }) => status === "succeeded");
});
