// `npm run demo`: a payment from beginning to end against the running gateway, by the typed client.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { keccak256, type TypedDataDefinition, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createGatewayClient, type Schemas } from "#core/client/client.ts";
import { parseCommand } from "./local/command-line.ts";
import { readJson } from "./local/json-file.ts";
import type { LocalFile } from "./local/local-file.ts";
import { paths } from "./local/paths.ts";

const HELP = `Makes a payment of 100 test USDC at the running gateway, from the intent to the payout, and shows every status as it comes.

  npm run demo`;

parseCommand(HELP, {});

const TIMEOUT_MS = 120_000;
/** A test key has 100 requests a minute. */
const POLL_MS = 1_000;

type Intent = Schemas["PaymentIntent"];

const local = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
const merchant = local?.merchants[0];
if (!local || !merchant) {
  console.error("No gateway is running here. Start one in another terminal: npm start");
  process.exit(1);
}
const { baseUrl } = local;
const client = createGatewayClient({ baseUrl, apiKey: merchant.apiKey });
const startedAt = performance.now();

function say(what: string, detail = ""): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2).padStart(6);
  console.log(`${seconds} s  ${what.padEnd(20)} ${detail}`);
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** One request; undefined if it is to be made again: the service is away for a moment, or wants us to wait. */
async function attempt<T>(send: () => Promise<Answer<T>>): Promise<T | undefined> {
  const answer = await send().catch(() => undefined);
  if (answer?.data !== undefined) return answer.data;
  if (!answer) return undefined;
  const { error, response } = answer;
  if (response.status === 429) await delay(Number(response.headers.get("retry-after")) * 1_000);
  if (response.status === 503 || response.status === 429) return undefined;
  throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
}

/** Asks until there is an answer; the same Idempotency-Key makes that safe for what has an effect. */
async function call<T>(send: (header: { "Idempotency-Key": string }) => Promise<Answer<T>>): Promise<T> {
  const header = { "Idempotency-Key": randomUUID() };
  while (performance.now() - startedAt < TIMEOUT_MS) {
    const answer = await attempt(() => send(header));
    if (answer !== undefined) return answer;
    await delay(POLL_MS);
  }
  throw new Error(`The gateway at ${baseUrl} did not come back in ${TIMEOUT_MS / 1000} s.`);
}

const EXPECTED = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED"];
const seen: string[] = [];

/** Says every status once, and insists that none goes back or aside. */
function see({ status, settlementStatus }: Intent): void {
  if (seen.at(-1) === status) return;
  if (EXPECTED.indexOf(status) <= EXPECTED.indexOf(seen.at(-1) ?? "")) {
    throw new Error(`The status went from ${seen.at(-1)} to ${status}.`);
  }
  seen.push(status);
  say(status, `settlement ${settlementStatus}`);
}

async function until(id: string, status: string): Promise<void> {
  while (performance.now() - startedAt < TIMEOUT_MS) {
    const intent = await call(() =>
      client.GET("/v1/payment-intents/{intentId}", { params: { path: { intentId: id } } }),
    );
    see(intent);
    if (intent.status === status) return;
    await delay(POLL_MS);
  }
  throw new Error(`The payment did not reach ${status} in ${TIMEOUT_MS / 1000} s. See .data/logs.`);
}

const payer = privateKeyToAccount(generatePrivateKey());
say("payer", `${payer.address}, a new wallet that owns nothing`);

const intent = await call((header) =>
  client.POST("/v1/payment-intents", {
    params: { header },
    body: {
      amount: "100.00",
      currency: "USDC",
      type: "DELIVERY_VS_PAYMENT",
      settlementMethod: "OFF_RAMP_MOCK",
      settlementDestination: "bank_account_123",
      description: "Demo payment",
      autoRelease: true,
    },
  }),
);
say("intent", intent.id);
see(intent);
const path = { intentId: intent.id };

const signature = await payer.signTypedData(intent.data.typedData as unknown as TypedDataDefinition);
say("signed", "by the payer, off chain");
see(
  await call((header) =>
    client.POST("/v1/payment-intents/{intentId}/confirm", {
      params: { path, header },
      body: { signature, payerAddress: payer.address },
    }),
  ),
);
await until(intent.id, "SUCCEEDED");

const proof = await call((header) =>
  client.POST("/v1/payment-intents/{intentId}/escrow/delivery-proof", {
    params: { path, header },
    body: {
      proofHash: keccak256(toHex(`delivered ${intent.id}`)),
      proofURI: "ipfs://demo-delivery-proof",
      submittedBy: payer.address,
    },
  }),
);
say("delivery proof", `in ${proof.data.submitTxHash}`);
await until(intent.id, "SETTLED");
say("done", `${intent.data.amount} USDC: escrowed, delivered, released, paid out`);
