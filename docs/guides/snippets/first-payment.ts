import { Gateway, signIntent } from "@delivery-versus-payment/sdk";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });

// The merchant asks for a payment.
const intent = await gateway.paymentIntents.create({
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
  autoRelease: true,
});
console.log(intent.id, intent.status);

// The payer signs. On the payment page (intent.data.paymentUrl) their wallet does this; in test mode a new, empty one will do.
const payer = privateKeyToAccount(generatePrivateKey());
await gateway.paymentIntents.confirm(intent.id, await signIntent(intent, payer));

// Five blocks later the funds are in escrow.
const funded = await gateway.paymentIntents.waitFor(intent.id, "SUCCEEDED");
console.log(funded.id, funded.status);

// The delivery proof releases them; they are paid out to the bank.
await gateway.escrow.submitDeliveryProof(intent.id, {
  proofHash: `0x${"ab".repeat(32)}`,
  proofURI: "https://shop.example.com/deliveries/1",
  submittedBy: payer.address,
});
const settled = await gateway.paymentIntents.waitFor(intent.id, "SETTLED");
console.log(settled.id, settled.status);
