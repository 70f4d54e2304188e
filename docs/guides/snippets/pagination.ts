import { Gateway } from "@delivery-versus-payment/sdk";

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });

let count = 0;
for await (const intent of gateway.paymentIntents.list({ limit: 100, currency: "USDC" })) {
  console.log(intent.id, intent.status);
  count += 1;
  if (count === 250) break;
}
