// A client that @hey-api/openapi-ts generates from the document completes a payment.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { until } from "#scripts/local/wait.ts";
import { runCommand } from "#scripts/testing/run-command.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import type { Intent } from "./support/client.ts";
import { GOOD, HASH_A, newPayer } from "./support/payments.ts";

const GENERATOR = fileURLToPath(new URL("./support/generate-client.ts", import.meta.url));

let stack: SharedStack;
let folder: string;

beforeAll(async () => {
  stack = await sharedStack();
  folder = mkdtempSync(join(tmpdir(), "client-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack?.stop();
});

/** The four calls that complete a payment. */
type Calls = {
  create(body: object): Promise<Intent>;
  confirm(intentId: string, body: object): Promise<Intent>;
  prove(intentId: string, body: object): Promise<unknown>;
  retrieve(intentId: string): Promise<Intent>;
};

async function completePayment({ create, confirm, prove, retrieve }: Calls): Promise<void> {
  const payer = newPayer();
  const intent = await create({ ...GOOD, autoRelease: true, metadata: { orderId: "1" } });
  expect(intent.status).to.equal("INITIATED");
  const signature = await payer.signTypedData(intent.data.typedData);
  const confirmed = await confirm(intent.id, { signature, payerAddress: payer.address });
  expect(confirmed.status).to.equal("PROCESSING");
  const reached = (...statuses: string[]) =>
    until(
      async () => {
        const shown = await retrieve(intent.id);
        return statuses.includes(shown.status) ? shown : null;
      },
      { what: `the payment being ${statuses.join(" or ")}`, timeoutMs: 40_000 },
    );
  await reached("SUCCEEDED");
  await prove(intent.id, { proofHash: HASH_A, submittedBy: payer.address });
  const settled = await reached("SETTLED", "FINAL");
  expect(settled.settlementStatus).to.equal("COMPLETED");
  expect(settled.data.metadata.orderId).to.equal("1");
}

type Result = { data?: unknown; error?: unknown };
function answerOf<T>({ data, error }: Result): T {
  expect(data, JSON.stringify(error)).to.be.an("object");
  return data as T;
}

describe("a payment is completed by a client generated with", () => {
  it("@hey-api/openapi-ts", async () => {
    const { exitCode, output } = await runCommand([process.execPath, GENERATOR, folder], {}, { quiet: true });
    expect(exitCode, output).to.equal(0);
    type Options = { client: unknown; path?: { intentId: string }; body?: object };
    const sdk = (await import(join(folder, "sdk.gen.ts"))) as Record<
      "createPaymentIntent" | "confirmPaymentIntent" | "submitDeliveryProof" | "retrievePaymentIntent",
      (options: Options) => Promise<Result>
    >;
    const { createClient } = (await import(join(folder, "client/index.ts"))) as {
      createClient(config: { baseUrl: string; auth: string }): unknown;
    };
    const client = createClient({
      // The document's paths begin with /v1.
      baseUrl: stack.baseUrl.replace(/\/v1$/, ""),
      auth: stack.merchants[0]?.apiKey ?? "",
    });
    const at = (intentId: string) => ({ client, path: { intentId } });
    await completePayment({
      create: async (body) => answerOf(await sdk.createPaymentIntent({ client, body })),
      confirm: async (id, body) => answerOf(await sdk.confirmPaymentIntent({ ...at(id), body })),
      prove: async (id, body) => answerOf(await sdk.submitDeliveryProof({ ...at(id), body })),
      retrieve: async (id) => answerOf(await sdk.retrievePaymentIntent(at(id))),
    });
  }, 90_000);
});
