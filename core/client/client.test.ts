// The typed client sends what it is told to, and what is not in the OpenAPI document does not compile.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { createGatewayClient } from "./client.ts";

function recording() {
  const sent: Request[] = [];
  const client = createGatewayClient({
    baseUrl: "https://pay.example.com/api/v1",
    apiKey: "sk_test_key",
    fetch: async (request) => {
      sent.push(request);
      return Response.json({ id: "intent_1", data: { typedData: null } });
    },
  });
  return { client, sent };
}

const BODY = {
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
} as const;

describe("the typed client", () => {
  it("calls the paths below its base URL, with its key and the given headers", async () => {
    const { client, sent } = recording();
    const { data } = await client.POST("/v1/payment-intents", {
      params: { header: { "Idempotency-Key": "order-1" } },
      body: BODY,
    });
    const [request] = sent;
    expect(request?.url).to.equal("https://pay.example.com/api/v1/payment-intents");
    expect(request?.headers.get("x-api-key")).to.equal("sk_test_key");
    expect(request?.headers.get("idempotency-key")).to.equal("order-1");
    expect(await request?.json()).to.deep.equal(BODY);
    expect(data?.id).to.equal("intent_1");
  });

  it("writes filters as the API reads them", async () => {
    const { client, sent } = recording();
    await client.GET("/v1/payment-intents", {
      params: { query: { limit: 2, created: { gte: 1767225600 }, metadata: { orderId: "7" } } },
    });
    expect(decodeURIComponent(new URL(sent[0]?.url ?? "").search)).to.equal(
      "?limit=2&created[gte]=1767225600&metadata[orderId]=7",
    );
  });

  it("does not compile with a field, value, path or answer that there is not", async () => {
    const { client } = recording();
    // @ts-expect-error: autoReleas is no field.
    await client.POST("/v1/payment-intents", { body: { ...BODY, autoReleas: true } });
    // @ts-expect-error: CASH is no settlement method.
    await client.POST("/v1/payment-intents", { body: { ...BODY, settlementMethod: "CASH" } });
    // @ts-expect-error: a body is required.
    await client.POST("/v1/payment-intents", {});
    // @ts-expect-error: there is no such path.
    await client.GET("/v1/payments", {});
    // @ts-expect-error: the list takes no such filter.
    await client.GET("/v1/payment-intents", { params: { query: { colour: "red" } } });
    const { data } = await client.GET("/v1/payment-intents/{intentId}", {
      params: { path: { intentId: "intent_1" } },
    });
    // @ts-expect-error: an answer has no such field.
    expect(data?.amountInCents).to.equal(undefined);
  });
});
