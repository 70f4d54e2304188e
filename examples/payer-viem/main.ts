// Pays a payment intent with a viem account. Payers need no API key.
// Usage: PAYER_KEY=0x… bun main.ts intent_…
import { Gateway, signIntent } from "@delivery-versus-payment/sdk";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { GATEWAY_URL, PAYER_KEY } = process.env;
const [intentId = ""] = process.argv.slice(2);

const gateway = new Gateway({ baseUrl: GATEWAY_URL });
const account = privateKeyToAccount(PAYER_KEY as Hex);

const intent = await gateway.publicPaymentIntents.retrieve(intentId);
console.log(`Paying ${intent.data.amount} ${intent.data.currency} as ${account.address}`);

// On a live network, the payer must first allow the escrow to transfer the amount, with an approval or a permit. In
// test mode, signing is enough.
await gateway.publicPaymentIntents.confirm(intentId, await signIntent(intent, account));

const paid = await gateway.paymentIntents.waitFor(intentId, "SUCCEEDED");
console.log(`In escrow, by transaction ${paid.transactionHash}`);
