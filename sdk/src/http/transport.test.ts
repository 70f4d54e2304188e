// Tests what a call sends, when it is retried, and what it throws.
import { describe, it } from "bun:test";
import { expect } from "chai";
import {
  ApiError,
  ConnectionError,
  ERROR_CLASSES,
  Gateway,
  GatewayError,
  type GatewayOptions,
  TimeoutError,
} from "../index.ts";

type Sent = { url: string; method: string; headers: Headers; body: unknown };
type Reply = Response | Error | ((signal: AbortSignal | null | undefined) => Promise<Response>);

/** Creates a client whose requests receive these replies in order. The last reply repeats. */
function scripted(replies: Reply[], options: GatewayOptions = {}) {
  const sent: Sent[] = [];
  const gateway = new Gateway({
    baseUrl: "https://pay.example.com/v1/",
    apiKey: "sk_test_key",
    ...options,
    fetch: async (url, init) => {
      const { method = "", headers, body } = init;
      sent.push({ url, method, headers: new Headers(headers), body: body && JSON.parse(String(body)) });
      const reply = replies[Math.min(sent.length, replies.length) - 1];
      if (reply instanceof Error) throw reply;
      return reply instanceof Response ? reply.clone() : (reply?.(init.signal) ?? Response.json({}));
    },
  });
  return { gateway, sent };
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}, more: object = {}) =>
  Response.json(
    { error: { code, message: "Why.", type: "api_error", requestId: "req-1", ...more } },
    { status, headers },
  );
/** Allows an immediate retry. */
const busy = () => refusal(429, "rate_limit_exceeded", { "Retry-After": "0" });
const away = () => refusal(503, "service_unavailable", { "Retry-After": "0" });
const OK = () => Response.json({ id: "intent_1" });

const BODY = {
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
} as const;

async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail.");
}

describe("a call", () => {
  it("sends the key, the body and a generated Idempotency-Key", async () => {
    const { gateway, sent } = scripted([OK()]);
    await gateway.paymentIntents.create(BODY);
    await gateway.paymentIntents.create(BODY);
    const [first, second] = sent;
    expect(first?.url).to.equal("https://pay.example.com/v1/payment-intents");
    expect(first?.headers.get("authorization")).to.equal("Bearer sk_test_key");
    expect(first?.body).to.deep.equal(BODY);
    expect(first?.headers.get("idempotency-key")).to.match(/^[0-9a-f]{32}$/);
    expect(second?.headers.get("idempotency-key")).to.not.equal(first?.headers.get("idempotency-key"));
  });

  it("sends the caller's Idempotency-Key and request id", async () => {
    const { gateway, sent } = scripted([OK()]);
    await gateway.paymentIntents.create(BODY, { idempotencyKey: "order-1", requestId: "checkout-1" });
    expect(sent[0]?.headers.get("idempotency-key")).to.equal("order-1");
    expect(sent[0]?.headers.get("x-request-id")).to.equal("checkout-1");
  });

  it("serializes filters in the API's format", async () => {
    const { gateway, sent } = scripted([Response.json({ object: "list", data: [], has_more: false })]);
    await gateway.paymentIntents.list({
      limit: 2,
      created: { gte: 1767225600 },
      metadata: { orderId: "7" },
      expand: ["escrow", "settlements"],
    });
    expect(decodeURIComponent(new URL(sent[0]?.url ?? "").search)).to.equal(
      "?limit=2&created[gte]=1767225600&metadata[orderId]=7&expand[]=escrow&expand[]=settlements",
    );
  });

  it("escapes ids and rejects an empty one", async () => {
    const { gateway, sent } = scripted([OK()]);
    await gateway.events.retrieve("a/../b?c");
    expect(sent[0]?.url).to.equal("https://pay.example.com/v1/events/a%2F..%2Fb%3Fc");
    expect(() => gateway.paymentIntents.retrieve("")).to.throw(TypeError, "An id is required");
  });

  it("does not compile with an unknown field, value or response property", async () => {
    const { gateway } = scripted([OK()]);
    // @ts-expect-error: autoReleas is no field.
    await gateway.paymentIntents.create({ ...BODY, autoReleas: true });
    // @ts-expect-error: CASH is no settlement method.
    await gateway.paymentIntents.create({ ...BODY, settlementMethod: "CASH" });
    // @ts-expect-error: the list takes no such filter.
    gateway.paymentIntents.list({ colour: "red" });
    const intent = await gateway.paymentIntents.retrieve("intent_1");
    // @ts-expect-error: an answer has no such field.
    expect(intent.amountInCents).to.equal(undefined);
  });
});

describe("a call is retried", () => {
  it("after 429 and 503, with the same Idempotency-Key", async () => {
    const { gateway, sent } = scripted([busy(), away(), OK()]);
    expect((await gateway.paymentIntents.create(BODY)).id).to.equal("intent_1");
    expect(new Set(sent.map(({ headers }) => headers.get("idempotency-key"))).size).to.equal(1);
    expect(sent).to.have.lengthOf(3);
  });

  it("not before Retry-After", async () => {
    const { gateway } = scripted([refusal(503, "service_unavailable", { "Retry-After": "1" }), OK()]);
    const before = performance.now();
    await gateway.balance.retrieve();
    expect(performance.now() - before).to.be.at.least(990);
  });

  it("not at all if Retry-After is longer than a call should take", async () => {
    const { gateway, sent } = scripted([refusal(429, "rate_limit_exceeded", { "Retry-After": "3600" })]);
    const error = (await failureOf(gateway.balance.retrieve())) as ApiError;
    expect(error.retryAfter).to.equal(3600);
    expect(sent).to.have.lengthOf(1);
  });

  it("maxRetries times, and then fails", async () => {
    const { gateway, sent } = scripted([away()], { maxRetries: 4 });
    expect(await failureOf(gateway.balance.retrieve())).to.be.instanceOf(ERROR_CLASSES.service_unavailable);
    expect(sent).to.have.lengthOf(5);
  });

  it("never after a rejection", async () => {
    const { gateway, sent } = scripted([refusal(400, "invalid_status")]);
    await failureOf(gateway.escrow.release("intent_1"));
    expect(sent).to.have.lengthOf(1);
  });

  const UNSAFE: [string, (gateway: Gateway) => Promise<unknown>][] = [
    ["a POST", (gateway) => gateway.paymentIntents.create(BODY, { idempotencyKey: null })],
    [
      "a PATCH",
      (gateway) => gateway.paymentIntents.update("intent_1", { description: "x" }, { idempotencyKey: null }),
    ],
    ["a DELETE", (gateway) => gateway.webhookEndpoints.delete("we_1")],
  ];
  it.each(UNSAFE)("never, for any reason, if it is %s without a key", async (_, call) => {
    for (const reply of [busy(), away(), new TypeError("fetch failed")]) {
      const { gateway, sent } = scripted([reply, OK()], { maxRetries: 5 });
      await failureOf(call(gateway));
      expect(sent).to.have.lengthOf(1);
      expect(sent[0]?.headers.has("idempotency-key")).to.equal(false);
    }
  });
});

describe("a failure is", () => {
  it.each(Object.entries(ERROR_CLASSES))(
    "an instance of the class of the code %s",
    async (code, ErrorClass) => {
      const errors = [{ code, message: "Why.", param: "amount" }];
      const { gateway } = scripted([refusal(400, code, {}, { param: "amount", errors })], { maxRetries: 0 });
      const error = (await failureOf(gateway.balance.retrieve())) as ApiError;
      expect(error).to.be.instanceOf(ErrorClass).and.instanceOf(ApiError).and.instanceOf(GatewayError);
      expect(error.name).to.equal(ErrorClass.name);
      expect(error).to.include({ status: 400, code, message: "Why.", param: "amount", requestId: "req-1" });
      expect(error.errors).to.deep.equal(errors);
    },
  );

  it("an instance of the class of its status if a proxy responds with plain text", async () => {
    const { gateway } = scripted([new Response("<h1>Bad gateway</h1>", { status: 502 })], { maxRetries: 0 });
    const error = (await failureOf(gateway.balance.retrieve())) as ApiError;
    expect(error).to.be.instanceOf(ERROR_CLASSES.service_unavailable);
    expect(error.status).to.equal(502);
  });

  it("a ConnectionError if there is no response or it is not JSON", async () => {
    for (const reply of [new TypeError("fetch failed"), new Response("<h1>Welcome</h1>")]) {
      const { gateway } = scripted([reply], { maxRetries: 0 });
      expect(await failureOf(gateway.balance.retrieve())).to.be.instanceOf(ConnectionError);
    }
  });

  it("a GatewayError for a redirect, which is not followed", async () => {
    const { gateway, sent } = scripted([
      new Response(null, { status: 302, headers: { Location: "https://evil.example.com/" } }),
    ]);
    expect(String(await failureOf(gateway.balance.retrieve()))).to.include("redirects");
    expect(sent).to.have.lengthOf(1);
  });
});

/** Never responds. When the signal aborts, rejects with its reason, as `fetch` does. */
const hang: Reply = (signal) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("a call ends", () => {
  it("with a TimeoutError after its timeout and retries", async () => {
    const { gateway, sent } = scripted([hang], { timeout: 10, maxRetries: 0 });
    expect(await failureOf(gateway.balance.retrieve())).to.be.instanceOf(TimeoutError);
    const again = scripted([hang, OK()], { timeout: 10 });
    await again.gateway.balance.retrieve();
    expect([sent.length, again.sent.length]).to.deep.equal([1, 2]);
  });

  it("with the signal's reason: before it is sent, in flight, or between two attempts", async () => {
    const reason = new Error("The user left.");
    const gone = scripted([OK()]);
    expect(await failureOf(gone.gateway.balance.retrieve({ signal: AbortSignal.abort(reason) }))).to.equal(
      reason,
    );
    expect(gone.sent).to.have.lengthOf(0);
    for (const reply of [hang, refusal(503, "service_unavailable", { "Retry-After": "30" })]) {
      const { gateway, sent } = scripted([reply]);
      const controller = new AbortController();
      const failure = failureOf(gateway.balance.retrieve({ signal: controller.signal }));
      await Bun.sleep(0);
      controller.abort(reason);
      expect(await failure).to.equal(reason);
      expect(sent).to.have.lengthOf(1);
    }
  });
});

describe("a client", () => {
  const inBrowser = (make: () => Gateway): Gateway => {
    Object.assign(globalThis, { document: {} });
    try {
      return make();
    } finally {
      Reflect.deleteProperty(globalThis, "document");
    }
  };

  it("rejects a secret key in a browser unless that is allowed", () => {
    expect(() => inBrowser(() => new Gateway({ apiKey: "sk_test_key" }))).to.throw(GatewayError, "browser");
    inBrowser(() => new Gateway({ apiKey: "sk_test_key", dangerouslyAllowBrowser: true }));
    inBrowser(() => new Gateway());
  });

  it("rejects a live key without a base URL", () => {
    expect(() => new Gateway({ apiKey: "sk_live_key" })).to.throw(GatewayError, "baseUrl");
  });

  it("does not reveal its key when it is printed", () => {
    expect(Bun.inspect(new Gateway({ apiKey: "sk_test_secret" }), { depth: 9 })).to.not.include("secret");
  });
});
