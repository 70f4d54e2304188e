// `npm run demo`: runs a complete payment through the running gateway, using the SDK.
import { keccak256, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Gateway, type PaymentIntentStatus, signIntent } from "#sdk/index.ts";
import type { LocalFile } from "../devnet/local-file.ts";
import { parseCommand } from "../shared/command-line.ts";
import { readJson } from "../shared/json-file.ts";
import { paths } from "../shared/paths.ts";

const HELP = `Runs a payment of 100 test USDC through the running gateway, from the intent to the payout, and prints every status change.

  npm run demo`;

parseCommand(HELP, {});

const TIMEOUT_MS = 120_000;
/** Enough retries to wait while the gateway restarts. */
const MAX_RETRIES = 20;

const local = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
const merchant = local?.merchants[0];
if (!local || !merchant) {
  console.error("No gateway is running. Start one in another terminal: npm start");
  process.exit(1);
}
const { baseUrl } = local;
const gateway = new Gateway({ baseUrl, apiKey: merchant.apiKey, maxRetries: MAX_RETRIES });
const startedAt = performance.now();

function say(what: string, detail = ""): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2).padStart(6);
  console.log(`${seconds} s  ${what.padEnd(20)} ${detail}`);
}

const EXPECTED = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED"];
const seen: string[] = [];

/** Prints every status once, and fails if a status is unexpected or out of order. */
function see({ status, settlementStatus }: { status: string; settlementStatus: string | null }): void {
  if (seen.at(-1) === status) return;
  if (EXPECTED.indexOf(status) <= EXPECTED.indexOf(seen.at(-1) ?? "")) {
    throw new Error(`Unexpected status change from ${seen.at(-1)} to ${status}.`);
  }
  seen.push(status);
  say(status, `settlement ${settlementStatus}`);
}

const until = async (status: PaymentIntentStatus): Promise<void> =>
  see(await gateway.paymentIntents.waitFor(intent.id, status, { timeout: TIMEOUT_MS }));

const payer = privateKeyToAccount(generatePrivateKey());
say("payer", `${payer.address}, a new, empty wallet`);

const intent = await gateway.paymentIntents.create({
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
  description: "Demo payment",
  autoRelease: true,
});
say("intent", intent.id);
see(intent);

const signed = await signIntent(intent, payer);
say("signed", "by the payer, off chain");
see(await gateway.paymentIntents.confirm(intent.id, signed));
await until("SUCCEEDED");

const proof = await gateway.escrow.submitDeliveryProof(intent.id, {
  proofHash: keccak256(toHex(`delivered ${intent.id}`)),
  proofURI: "ipfs://demo-delivery-proof",
  submittedBy: payer.address,
});
say("delivery proof", `in ${proof.data.submitTxHash}`);
await until("SETTLED");
say("done", `${intent.data.amount} USDC: escrowed, delivered, released, paid out`);
