// Receives webhooks: verifies each, takes each event once.
// Usage: WEBHOOK_SECRET=whsec_… bun main.ts   (while a secret is rotated: both, separated by a comma)
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { WebhookVerificationError, webhooks } from "@delivery-versus-payment/sdk";

const { WEBHOOK_SECRET = "", PORT = "4242" } = process.env;
const secrets = WEBHOOK_SECRET.split(",");
/** A table with a unique key in a real receiver: the gateway delivers at least once. */
const received = new Set<string>();

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function receive(request: IncomingMessage): Promise<void> {
  // Bytes as they came: a body that is parsed and written again has another signature.
  const event = await webhooks.verify(await readBody(request), request.headers, secrets);
  if (received.has(event.id)) return;
  received.add(event.id);
  console.log(`${event.type} ${event.id}`);
}

const server = createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(204).end(),
    (error: unknown) => {
      // Any status but 2xx makes the gateway deliver it again later.
      const status = error instanceof WebhookVerificationError ? 400 : 500;
      console.error(String(error));
      response.writeHead(status).end();
    },
  );
});
server.listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});
