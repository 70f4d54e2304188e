// waitFor follows a payment's event stream, polls if there is none, and stops on abort or timeout.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { Gateway, type PaymentIntentStatus, TimeoutError, UnexpectedStatusError } from "../index.ts";

const encoder = new TextEncoder();

/** Serves one payment. Its event streams, if enabled, report status changes. */
function serve(status: PaymentIntentStatus, { streams = true, hasKey = true } = {}) {
  const state = { status, reads: [] as string[], streams: 0, open: 0, failing: 0 };
  const listeners = new Set<(status: string) => void>();
  const stream = (signal: AbortSignal | null | undefined) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (status: string) =>
          controller.enqueue(encoder.encode(`data: ${JSON.stringify({ object: "checkout", status })}\n\n`));
        const leave = () => {
          listeners.delete(send);
          state.open -= 1;
        };
        state.open += 1;
        listeners.add(send);
        controller.enqueue(encoder.encode("retry: 2000\n\n: still there\n\n"));
        send(state.status);
        signal?.addEventListener("abort", () => {
          leave();
          controller.error(signal.reason);
        });
      },
      cancel() {
        state.open -= 1;
      },
    });
  const gateway = new Gateway({
    apiKey: hasKey ? "sk_test_key" : undefined,
    baseUrl: "https://pay.example.com/v1",
    maxRetries: 0,
    fetch: async (url, { headers, signal }) => {
      if (new Headers(headers).get("accept") === "text/event-stream") {
        state.streams += 1;
        return streams ? new Response(stream(signal)) : new Response(null, { status: 503 });
      }
      state.reads.push(new URL(url).pathname);
      if (state.failing > 0) {
        state.failing -= 1;
        return new Response(null, { status: 503 });
      }
      return Response.json({ id: "intent_1", status: state.status });
    },
  });
  const become = (status: PaymentIntentStatus) => {
    state.status = status;
    for (const send of listeners) send(status);
  };
  const until = async (fact: () => boolean) => {
    while (!fact()) await Bun.sleep(1);
  };
  return { gateway, state, become, until };
}

describe("waitFor", () => {
  it("returns immediately if the payment has reached or passed the status", async () => {
    const { gateway, state } = serve("SETTLED");
    for (const status of ["SETTLED", "SUCCEEDED", "PROCESSING"] as const) {
      expect((await gateway.paymentIntents.waitFor("intent_1", status)).status).to.equal("SETTLED");
    }
    expect(state.streams).to.equal(0);
  });

  it("rereads the payment when the stream reports a change, and closes the stream", async () => {
    const { gateway, state, become, until } = serve("PROCESSING");
    const waiting = gateway.paymentIntents.waitFor("intent_1", "SETTLED");
    await until(() => state.open === 1);
    become("SUCCEEDED");
    await until(() => state.reads.length === 2);
    become("SETTLED");
    expect((await waiting).status).to.equal("SETTLED");
    expect(state.reads).to.have.lengthOf(3);
    expect(state).to.include({ streams: 1, open: 0 });
  });

  it("polls if there is no stream", async () => {
    const { gateway, state, become, until } = serve("PROCESSING", { streams: false });
    const waiting = gateway.paymentIntents.waitFor("intent_1", "SUCCEEDED", { pollInterval: 1 });
    await until(() => state.reads.length > 25);
    become("SUCCEEDED");
    expect((await waiting).status).to.equal("SUCCEEDED");
    expect(state.streams).to.be.within(2, state.reads.length / 5);
  });

  it("keeps waiting while the gateway is unavailable", async () => {
    const { gateway, state, become, until } = serve("PROCESSING", { streams: false });
    state.failing = 3;
    const waiting = gateway.paymentIntents.waitFor("intent_1", "SUCCEEDED", { pollInterval: 1 });
    await until(() => state.reads.length > 5);
    become("SUCCEEDED");
    expect((await waiting).status).to.equal("SUCCEEDED");
  });

  it("reads the public payment intent if there is no key", async () => {
    const { gateway, state } = serve("SUCCEEDED", { hasKey: false });
    await gateway.paymentIntents.waitFor("intent_1", "SUCCEEDED");
    expect(state.reads).to.deep.equal(["/v1/payment-intents/public/intent_1"]);
  });

  it("fails when the payment can no longer reach the status", async () => {
    for (const status of ["CANCELED", "REQUIRES_ACTION"] as const) {
      const { gateway, become, state, until } = serve("PROCESSING");
      const waiting = gateway.paymentIntents.waitFor("intent_1", "SETTLED").catch((error: unknown) => error);
      await until(() => state.open === 1);
      become(status);
      expect(await waiting)
        .to.be.instanceOf(UnexpectedStatusError)
        .and.include({ status });
      expect(state.open).to.equal(0);
    }
  });

  it("can wait for CANCELED", async () => {
    const { gateway } = serve("CANCELED");
    expect((await gateway.paymentIntents.waitFor("intent_1", "CANCELED")).status).to.equal("CANCELED");
  });

  it("throws a TimeoutError or the signal's reason, and leaves no stream open", async () => {
    const { gateway, state, until } = serve("PROCESSING");
    const late = await gateway.paymentIntents
      .waitFor("intent_1", "SETTLED", { timeout: 20 })
      .catch((error: unknown) => error);
    expect(late).to.be.instanceOf(TimeoutError);
    const controller = new AbortController();
    const waiting = gateway.paymentIntents
      .waitFor("intent_1", "SETTLED", { signal: controller.signal })
      .catch((error: unknown) => error);
    await until(() => state.open === 1);
    controller.abort(new Error("The user left."));
    expect(String(await waiting)).to.include("The user left.");
    expect(state.open).to.equal(0);
  });
});
