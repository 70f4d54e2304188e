// An example shop. Its order form creates a payment and redirects the customer to the payment page. The shop ships the
// order when the payment is in escrow.
// Usage: GATEWAY_KEY=sk_test_… bun main.ts
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Gateway, WebhookVerificationError } from "@delivery-versus-payment/sdk";
import { orderPage, type ShownOrder, shopPage } from "./pages.ts";

const { GATEWAY_URL, GATEWAY_KEY, PORT = "4300", PUBLIC_URL } = process.env;
const gateway = new Gateway({ baseUrl: GATEWAY_URL, apiKey: GATEWAY_KEY });

export type Order = ShownOrder & { intentId: string };
/** A real shop stores its orders in a database. */
const orders = new Map<string, Order>();

/** Sends the order's id as the Idempotency-Key, so that an order that is submitted twice creates only one payment. */
async function createOrder(id: string): Promise<Order> {
  const intent = await gateway.paymentIntents.create(
    {
      amount: "49.90",
      currency: "USDC",
      type: "DELIVERY_VS_PAYMENT",
      settlementMethod: "OFF_RAMP_MOCK",
      settlementDestination: "bank_account_123",
      description: "A pound of coffee",
      metadata: { orderId: id },
    },
    { idempotencyKey: id },
  );
  const { paymentUrl } = intent.data;
  const order: Order = orders.get(id) ?? { id, intentId: intent.id, paymentUrl, status: "ordered" };
  orders.set(id, order);
  return order;
}

/** Ships an order only once, even if the same event is delivered twice. */
async function ship(intentId: string): Promise<void> {
  const order = [...orders.values()].find((one) => one.intentId === intentId);
  if (!order || order.status === "shipped") return;
  await gateway.escrow.markShipped(intentId, undefined, { idempotencyKey: `ship-${order.id}` });
  order.status = "shipped";
  console.log(`Order ${order.id} is shipped`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function receiveWebhook(request: IncomingMessage): Promise<void> {
  const event = await gateway.webhooks.verify(await readBody(request), request.headers, secret);
  if (event.type === "payment_intent.succeeded" && event.paymentIntentId) await ship(event.paymentIntentId);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`;
  const order = orders.get(/^GET \/orders\/([\w-]+)$/.exec(route)?.[1] ?? "");
  if (route === "POST /webhooks") {
    await receiveWebhook(request);
    response.writeHead(204).end();
  } else if (route === "POST /orders") {
    const id = new URLSearchParams(await readBody(request)).get("id") ?? crypto.randomUUID();
    const { paymentUrl } = await createOrder(id);
    response.writeHead(303, { Location: paymentUrl }).end();
  } else if (order) {
    response.writeHead(200, { "Content-Type": "text/html;charset=utf-8" }).end(orderPage(order));
  } else if (route === "GET /") {
    const page = shopPage(crypto.randomUUID());
    response.writeHead(200, { "Content-Type": "text/html;charset=utf-8" }).end(page);
  } else {
    response.writeHead(404).end();
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(String(error));
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
  });
});

await new Promise<void>((resolve) => server.listen(Number(PORT), resolve));
const url = PUBLIC_URL ?? `http://localhost:${(server.address() as AddressInfo).port}`;
// A real shop creates its endpoint once, in the dashboard, and stores the secret with its other secrets.
const { secret } = await gateway.webhookEndpoints.create({
  url: `${url}/webhooks`,
  enabledEvents: ["payment_intent.succeeded"],
});
console.log(`The shop is open at ${url}`);
