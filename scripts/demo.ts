// A whole payment against the running gateway, by a client that knows the spec alone: `npm run demo`.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { keccak256, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { readJson } from "./local/json-file.ts";
import type { LocalFile } from "./local/local-file.ts";
import { paths } from "./local/paths.ts";

const TIMEOUT_MS = 120_000;
/** A test key has 100 requests a minute. */
const POLL_MS = 1_000;

type Intent = {
  id: string;
  status: string;
  settlementStatus: string | null;
  data: { typedData: never; amount: string };
};

const local = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
const merchant = local?.merchants[0];
if (!local || !merchant) {
  console.error("No gateway is running here. Start one in another terminal: npm start");
  process.exit(1);
}
const { baseUrl } = local;
const { apiKey } = merchant;
const startedAt = performance.now();

function say(what: string, detail = ""): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2).padStart(6);
  console.log(`${seconds} s  ${what.padEnd(20)} ${detail}`);
}

/** One request; undefined if it is to be made again: the service is away for a moment, or wants us to wait. */
async function attempt(method: "GET" | "POST", path: string, key: string, body?: object) {
  let response: Response;
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        "X-API-Key": apiKey,
        ...(body ? { "Content-Type": "application/json", "Idempotency-Key": key } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  } catch {
    return undefined;
  }
  const answer = await response.json();
  if (response.status === 429) await delay(answer.error.retryAfter * 1_000);
  if (response.status === 503 || response.status === 429) return undefined;
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Asks until there is an answer; the same Idempotency-Key makes that safe for what has an effect. */
async function call<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
  const key = randomUUID();
  while (performance.now() - startedAt < TIMEOUT_MS) {
    const answer = await attempt(method, path, key, body);
    if (answer !== undefined) return answer as T;
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
    const intent = await call<Intent>("GET", `/payment-intents/${id}`);
    see(intent);
    if (intent.status === status) return;
    await delay(POLL_MS);
  }
  throw new Error(`The payment did not reach ${status} in ${TIMEOUT_MS / 1000} s. See .data/logs.`);
}

const payer = privateKeyToAccount(generatePrivateKey());
say("payer", `${payer.address}, a new wallet that owns nothing`);

const intent = await call<Intent>("POST", "/payment-intents", {
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

const signature = await payer.signTypedData(intent.data.typedData);
say("signed", "by the payer, off chain");
see(
  await call<Intent>("POST", `/payment-intents/${intent.id}/confirm`, {
    signature,
    payerAddress: payer.address,
  }),
);
await until(intent.id, "SUCCEEDED");

const proof = await call<{ data: { submitTxHash: string } }>(
  "POST",
  `/payment-intents/${intent.id}/escrow/delivery-proof`,
  {
    proofHash: keccak256(toHex(`delivered ${intent.id}`)),
    proofURI: "ipfs://demo-delivery-proof",
    submittedBy: payer.address,
  },
);
say("delivery proof", `in ${proof.data.submitTxHash}`);
await until(intent.id, "SETTLED");
say("done", `${intent.data.amount} USDC: escrowed, delivered, released, paid out`);
