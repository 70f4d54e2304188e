// The gateway logs each request, and no secrets.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { until } from "#scripts/shared/wait.ts";
import { fetchDocumented } from "#test/support/documented.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

const DESTINATION = "DE89370400440532013000";
const REQUEST_ID = "log-test.1";

let stack: SharedStack;
let key: string;

beforeAll(async () => {
  stack = await sharedStack();
  key = stack.merchants[0]?.apiKey ?? "";
});

afterAll(() => stack?.stop());

async function call<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
  const response = await fetchDocumented(
    new Request(`${stack.baseUrl}${path}`, {
      method,
      headers: { "X-API-Key": key, "X-Request-Id": REQUEST_ID, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  );
  expect(response.headers.get("x-request-id")).to.equal(REQUEST_ID);
  return { status: response.status, body: (await response.json()) as T };
}

describe("the log", () => {
  it("has one line per request with its id, without keys, bank details or signatures", async () => {
    type Intent = { id: string; data: { typedData: never } };
    const { body: intent } = await call<Intent>("POST", "/payment-intents", {
      amount: "1.00",
      currency: "USDC",
      type: "DELIVERY_VS_PAYMENT",
      settlementMethod: "OFF_RAMP_MOCK",
      settlementDestination: DESTINATION,
      metadata: { note: DESTINATION },
      autoRelease: true,
    });
    const payer = privateKeyToAccount(generatePrivateKey());
    const signature = await payer.signTypedData(intent.data.typedData);
    const confirm = { signature, payerAddress: payer.address };
    expect((await call("POST", `/payment-intents/${intent.id}/confirm`, confirm)).status).to.equal(200);
    expect((await call("POST", `/payment-intents/${intent.id}/confirm`, confirm)).status).to.equal(400);
    const refused = { settlementDestination: DESTINATION, amount: DESTINATION, signature };
    expect((await call("POST", "/payment-intents", refused)).status).to.equal(400);
    expect((await call("GET", `/nothing/${DESTINATION}?api_key=${key}`)).status).to.equal(404);
    const status = async (wanted: string) =>
      (await call<{ status: string }>("GET", `/payment-intents/${intent.id}`)).body.status === wanted || null;
    await until(() => status("SUCCEEDED"), { what: "The intent being funded", timeoutMs: 30_000 });
    const proof = { proofHash: `0x${"ab".repeat(32)}`, submittedBy: payer.address };
    await call("POST", `/payment-intents/${intent.id}/escrow/delivery-proof`, proof);
    await until(() => status("SETTLED"), { what: "The intent being settled", timeoutMs: 30_000 });

    const secrets = [
      key,
      key.slice(-20),
      DESTINATION,
      signature,
      signature.slice(2, 60),
      stack.environment.OPERATOR_KEY ?? "",
      stack.environment.GUARDIAN_KEY ?? "",
      ...["ARBITER_KEY", "DASHBOARD_SECRET", "OFF_RAMP_API_KEY"].map((name) => stack.environment[name] ?? ""),
      ...[stack.databaseUrl, stack.servingUrl].map((url) => new URL(url).password || url),
    ];
    const files = readdirSync(stack.logs).filter((name) => name !== "chain.log");
    expect(files).to.include.members(["api.log", "settlement.log", "indexer.log"]);
    for (const file of files) {
      const text = readFileSync(join(stack.logs, file), "utf8");
      for (const [index, secret] of secrets.entries()) {
        expect(text.includes(secret), `${file} holds secret ${index}`).to.equal(false);
      }
    }
    const lines = readFileSync(join(stack.logs, "api.log"), "utf8")
      .split("\n")
      .filter((line) => line.includes(REQUEST_ID))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).to.include({
      msg: "request",
      method: "POST",
      route: "/api/v1/payment-intents",
      status: 200,
      merchant: stack.merchants[0]?.merchantId,
      requestId: REQUEST_ID,
    });
    expect(lines[0]?.key).to.match(/^key_/);
    expect(lines[0]?.ms).to.be.a("number");
    expect(lines.filter(({ status: answered }) => answered === 404)[0]).to.include({ route: "none" });
  });
});
