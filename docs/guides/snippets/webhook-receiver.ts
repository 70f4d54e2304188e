import { createServer } from "node:http";
import { Gateway, WebhookVerificationError } from "@delivery-versus-payment/sdk";

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });
let secret = "";

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    // The body as it was received, before it is parsed.
    const event = await gateway.webhooks.verify(Buffer.concat(chunks), request.headers, secret);
    response.writeHead(204).end();
    console.log(event.type, "received");
    if (event.type === "webhook.test") server.close();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end();
  }
});

server.listen(0, "127.0.0.1", async () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const endpoint = await gateway.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/webhooks` });
  // Shown once: keep it where your other secrets are.
  secret = endpoint.secret;
  await gateway.webhookEndpoints.sendTestEvent(endpoint.id);
});
