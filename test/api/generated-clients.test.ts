// Clients that @hey-api/openapi-ts and openapi-typescript generate from the document complete a payment each.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import { runCommand } from "#scripts/testing/run-command.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import type { Intent } from "./support/client.ts";
import { GOOD, HASH_A, newPayer } from "./support/payments.ts";

const GENERATOR = fileURLToPath(new URL("./support/generate-clients.ts", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** What an integrator writes with the types that openapi-typescript generates. */
const TYPED_CLIENT = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

type Schemas = components["schemas"];

export function connect(baseUrl: string, apiKey: string) {
  const api = createClient<paths>({ baseUrl, headers: { "X-API-Key": apiKey } });
  const at = (intentId: string) => ({ path: { intentId } });
  return {
    create: (body: Schemas["CreatePaymentIntent"]) => api.POST("/v1/payment-intents", { body }),
    confirm: (id: string, body: Schemas["ConfirmPaymentIntent"]) =>
      api.POST("/v1/payment-intents/{intentId}/confirm", { params: at(id), body }),
    prove: (id: string, body: Schemas["SubmitDeliveryProof"]) =>
      api.POST("/v1/payment-intents/{intentId}/escrow/delivery-proof", { params: at(id), body }),
    retrieve: (id: string) => api.GET("/v1/payment-intents/{intentId}", { params: at(id) }),
  };
}

export async function statusOf(api: ReturnType<typeof connect>, id: string): Promise<string> {
  const { data, error } = await api.retrieve(id);
  if (!data) return error.error.code;
  // @ts-expect-error: no status of the document
  if (data.status === "PAID") return "paid";
  return data.status;
}

// @ts-expect-error: no amount
export const incomplete: Schemas["CreatePaymentIntent"] = { currency: "USDC" };
`;

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ module: "preserve", target: "esnext", lib: ["esnext", "dom"], types: ["bun"] },
  },
  files: ["typed-client.ts"],
};

let stack: SharedStack;
let folder: string;

beforeAll(async () => {
  stack = await sharedStack();
  folder = mkdtempSync(join(tmpdir(), "client-"));
  symlinkSync(MODULES, join(folder, "node_modules"));
  const { exitCode, output } = await runCommand([process.execPath, GENERATOR, folder], {}, { quiet: true });
  expect(exitCode, output).to.equal(0);
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

/** The document's paths begin with /v1. */
const rootOf = ({ baseUrl }: SharedStack): string => baseUrl.replace(/\/v1$/, "");

type Result = { data?: unknown; error?: unknown };
function answerOf<T>({ data, error }: Result): T {
  expect(data, JSON.stringify(error)).to.be.an("object");
  return data as T;
}

describe("a payment is completed by a client generated with", () => {
  it("@hey-api/openapi-ts", async () => {
    type Options = { client: unknown; path?: { intentId: string }; body?: object };
    const sdk = (await import(join(folder, "hey-api/sdk.gen.ts"))) as Record<
      "createPaymentIntent" | "confirmPaymentIntent" | "submitDeliveryProof" | "retrievePaymentIntent",
      (options: Options) => Promise<Result>
    >;
    const { createClient } = (await import(join(folder, "hey-api/client/index.ts"))) as {
      createClient(config: { baseUrl: string; auth: string }): unknown;
    };
    const client = createClient({
      baseUrl: rootOf(stack),
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

  it("openapi-typescript, and its types hold", async () => {
    const file = join(folder, "typed-client.ts");
    writeFileSync(file, TYPED_CLIENT);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
    const compiler = [process.execPath, join(MODULES, "typescript/bin/tsc"), "-p", folder] as const;
    const { exitCode, output } = await runCommand(compiler, {}, { quiet: true });
    expect(exitCode, output).to.equal(0);
    const { connect } = (await import(file)) as {
      connect(baseUrl: string, apiKey: string): Record<keyof Calls, (...args: unknown[]) => Promise<Result>>;
    };
    const api = connect(rootOf(stack), stack.merchants[0]?.apiKey ?? "");
    await completePayment({
      create: async (body) => answerOf(await api.create(body)),
      confirm: async (id, body) => answerOf(await api.confirm(id, body)),
      prove: async (id, body) => answerOf(await api.prove(id, body)),
      retrieve: async (id) => answerOf(await api.retrieve(id)),
    });
  }, 90_000);
});
