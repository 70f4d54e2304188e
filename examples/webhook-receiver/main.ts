// Receives webhooks, verifies their signatures and processes each event only once.
// Usage: WEBHOOK_SECRET=whsec_… bun main.ts   (during a secret rotation: both secrets, separated by a comma)
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { WebhookVerificationError, webhooks } from "@delivery-versus-payment/sdk";

const { WEBHOOK_SECRET = "", PORT = "4242" } = process.env;
const secrets = WEBHOOK_SECRET.split(",");
/** The gateway delivers each event at least once. A real receiver stores the event ids in a table with a unique key. */
const received = new Set<string>();

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function receive(request: IncomingMessage): Promise<void> {
  // Verifies the raw bytes, because a body that is parsed and serialized again has a different signature.
  const event = await webhooks.verify(await readBody(request), request.headers, secrets);
  if (received.has(event.id)) return;
  received.add(event.id);
  console.log(`${event.type} ${event.id}`);
}

const server = createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(204).end(),
    (error: unknown) => {
      // The gateway retries the delivery later after any status other than 2xx.
      const status = error instanceof WebhookVerificationError ? 400 : 500;
      console.error(String(error));
      response.writeHead(status).end();
    },
  );
});
server.listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});
