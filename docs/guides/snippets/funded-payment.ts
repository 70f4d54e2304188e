import { Gateway, signIntent } from "@delivery-versus-payment/sdk";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

export const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });

/** Creates a payment, signs it as a new payer, and waits until the escrow holds the funds. */
export async function fundPayment(terms: object = {}) {
  const intent = await gateway.paymentIntents.create({
    amount: "100.00",
    currency: "USDC",
    type: "DELIVERY_VS_PAYMENT",
    settlementMethod: "OFF_RAMP_MOCK",
    settlementDestination: "bank_account_123",
    ...terms,
  });
  const payer = privateKeyToAccount(generatePrivateKey());
  await gateway.paymentIntents.confirm(intent.id, await signIntent(intent, payer));
  await gateway.paymentIntents.waitFor(intent.id, "SUCCEEDED");
  return { id: intent.id, payer };
}
