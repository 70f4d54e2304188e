// A payment from the intent to the payout: docs/guides/first-payment.md
import { Gateway, signIntent } from "@delivery-versus-payment/sdk";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });
const payer = privateKeyToAccount(generatePrivateKey());

const intent = await gateway.paymentIntents.create({
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
  autoRelease: true,
});
await gateway.paymentIntents.confirm(intent.id, await signIntent(intent, payer));
await gateway.paymentIntents.waitFor(intent.id, "SUCCEEDED");
await gateway.escrow.submitDeliveryProof(intent.id, {
  proofHash: `0x${"ab".repeat(32)}`,
  submittedBy: payer.address,
});
const { status } = await gateway.paymentIntents.waitFor(intent.id, "SETTLED");
console.log(intent.id, status);
