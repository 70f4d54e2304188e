// Simulates a provider that sells by quotes, over real HTTP: the part of such an API that settlement/off-ramp/bvnk
// uses. Quotes expire, and a new quote has a new price. The prefix of an account number selects a transfer's outcome
// (settlement/off-ramp/README.md).
import { randomUUID } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Address } from "viem";
import { type WebhookFaults, Webhooks } from "./webhooks.ts";

export type QuoteFaults = {
  webhooks: WebhookFaults;
  down: boolean;
  /** Executes the request but never responds. */
  losesAnswers: boolean;
  /** The number of upcoming quotes that have already expired when they are accepted. */
  expires: number;
  /** Rejects acceptances because the wallet has insufficient funds. */
  short: boolean;
  /** Rejects cancellations. */
  refusesCancels: boolean;
};

export type QuoteProviderOptions = {
  /** If undefined, no webhooks are sent. */
  webhookUrl?: string;
  walletAddress: Address;
  minMs: number;
  maxMs: number;
  /** The fee deducted from each transfer, as a decimal in the transfer's currency. */
  fee?: string;
  /** How long a quote can be accepted. */
  quoteMs?: number;
};

const NewQuote = Type.Object({
  reference: Type.String({ minLength: 1 }),
  customerId: Type.String(),
  walletId: Type.String(),
  from: Type.String(),
  to: Type.String(),
  amountIn: Type.String({ pattern: "^\\d+(\\.\\d+)?$" }),
  beneficiary: Type.Object({
    iban: Type.Optional(Type.Object({ account_number: Type.String() })),
    account: Type.Optional(Type.Object({ account_number: Type.String() })),
  }),
});

type Step = { status: string; at: number };
type Booked = {
  uuid: string;
  reference: string;
  from: string;
  to: string;
  amountIn: string;
  number: string;
  createdAt: number;
  expiresAt: number;
  canceled: boolean;
  /** Empty until the quote is accepted. */
  steps: Step[];
};

const describeEvent = (_: string, shown: object) => ({
  ...{ source: "quote", event: "statusChanged", timestamp: new Date().toISOString() },
  data: shown,
});

type Answer = { status: number; body: object };
const ok = (body: object): Answer => ({ status: 200, body });
const error = (status: number, code: string): Answer => ({ status, body: { code, message: code } });

const PAGE = 50;
const SLOW = 10;

export function startQuoteProvider(options: QuoteProviderOptions) {
  const { walletAddress, webhookUrl, minMs, maxMs, fee = "0.0", quoteMs = 20_000 } = options;
  const webhooks = new Webhooks(webhookUrl ?? "", describeEvent);
  webhooks.faults.silent = webhookUrl === undefined;
  const [customer, wallet, apiKey] = ["customer_quotes", "wallet_gateway", randomUUID()];
  const quotes = new Map<string, Booked>();
  const byKey = new Map<string, Answer>();
  const faults: QuoteFaults = {
    ...{ down: false, losesAnswers: false, expires: 0, short: false },
    refusesCancels: false,
    webhooks: webhooks.faults,
  };

  const derivePayoutStatus = ({ steps, canceled }: Booked): string | null => {
    if (canceled) return "CANCELLED";
    return steps.findLast(({ at }) => at <= Date.now())?.status ?? null;
  };
  const deriveQuoteStatus = (quote: Booked): string => {
    if (quote.steps.length > 0) return "PAYMENT_OUT_PROCESSING";
    return Date.now() > quote.expiresAt ? "EXPIRED" : "PENDING";
  };
  function show(quote: Booked) {
    const { uuid, reference, from, to, amountIn, createdAt, steps } = quote;
    const payoutStatus = derivePayoutStatus(quote);
    const done =
      payoutStatus === "COMPLETED" ? steps.find(({ status }) => status === "COMPLETED") : undefined;
    return {
      ...{ uuid, reference, from, to, amountIn, fee, payoutStatus, quoteStatus: deriveQuoteStatus(quote) },
      dateCreated: new Date(createdAt).toISOString(),
      dateCompleted: done ? new Date(done.at).toISOString() : null,
    };
  }

  function addQuote(body: unknown): Answer {
    if (!Value.Check(NewQuote, body) || body.customerId !== customer || body.walletId !== wallet) {
      return error(400, "invalid_parameters");
    }
    const { reference, from, to, amountIn, beneficiary } = body;
    const number = beneficiary.iban?.account_number ?? beneficiary.account?.account_number ?? "";
    if (number.startsWith("refused_")) return error(400, "invalid_beneficiary");
    const createdAt = Date.now();
    const expiresAt = faults.expires > 0 ? createdAt - 1 : createdAt + quoteMs;
    if (faults.expires > 0) faults.expires--;
    const made = { uuid: randomUUID(), reference, from, to, amountIn, number, createdAt, expiresAt };
    const quote: Booked = { ...made, canceled: false, steps: [] };
    quotes.set(quote.uuid, quote);
    return ok(show(quote));
  }

  function fails(number: string): boolean {
    if (!number.startsWith("fail_once_")) return number.startsWith("fail_");
    return ![...quotes.values()].some((other) => other.number === number && other.steps.length > 0);
  }

  function accept(quote: Booked): Answer {
    if (quote.steps.length > 0) return ok(show(quote));
    if (Date.now() > quote.expiresAt) return error(400, "quote_expired");
    if (faults.short) return error(400, "insufficient_balance");
    const slower = quote.number.startsWith("slow_") ? SLOW : 1;
    const takes = (minMs + Math.random() * Math.max(0, maxMs - minMs)) * slower;
    const now = Date.now();
    const end = fails(quote.number) ? "FAILED" : "COMPLETED";
    quote.steps = [
      { status: "PROCESSING", at: now },
      { status: end, at: now + takes },
    ];
    if (quote.number.startsWith("returned_")) quote.steps.push({ status: "RETURNED", at: now + takes * 1.5 });
    webhooks.follow({ id: quote.uuid, steps: quote.steps }, () => show(quote));
    return ok(show(quote));
  }

  function cancel(quote: Booked): Answer {
    if (faults.refusesCancels || derivePayoutStatus(quote) !== "PROCESSING")
      return error(400, "payment_cannot_be_cancelled");
    quote.canceled = true;
    void webhooks.notify({ id: quote.uuid }, show(quote));
    return ok(show(quote));
  }

  function list({ searchParams }: URL): Answer {
    const all = [...quotes.values()];
    const reference = searchParams.get("reference");
    if (reference !== null)
      return ok({ content: all.filter((one) => one.reference === reference).map(show) });
    const since = Number(searchParams.get("since") ?? 0);
    const after = searchParams.get("after");
    const start = after ? all.findIndex(({ uuid }) => uuid === after) + 1 : 0;
    return ok({
      content: all
        .slice(start)
        .filter(({ createdAt }) => createdAt >= since)
        .slice(0, PAGE)
        .map(show),
    });
  }

  async function answerTo(request: Request): Promise<Answer> {
    const url = new URL(request.url);
    if (request.headers.get("Api-Key") !== apiKey) return error(401, "invalid_credentials");
    if (request.method === "GET") {
      if (url.pathname === "/quotes") return list(url);
      const isWallet = url.pathname === `/customers/${customer}/wallets/${wallet}`;
      return isWallet ? ok({ id: wallet, address: walletAddress }) : error(404, "not_found");
    }
    const key = request.headers.get("Idempotency-Key") ?? "";
    const body: unknown = await request.json();
    if (url.pathname === "/quotes") {
      // A repeated request returns the quote in its current state.
      const known = byKey.get(key)?.body as { uuid?: string } | undefined;
      const quote = known?.uuid === undefined ? undefined : quotes.get(known.uuid);
      const answer = quote ? ok(show(quote)) : addQuote(body);
      if (answer.status === 200) byKey.set(key, answer);
      return answer;
    }
    const [, uuid = "", action] = /^\/quotes\/([^/]+)\/(accept|cancel)$/.exec(url.pathname) ?? [];
    const quote = quotes.get(uuid);
    if (!quote) return error(404, "not_found");
    if (action === "cancel") {
      // A repeated request gets the same response, even if the first one was rejected.
      const answer = byKey.get(key) ?? cancel(quote);
      byKey.set(key, answer);
      return answer;
    }
    const again = quote.steps.length > 0;
    const answer = accept(quote);
    const loses = quote.number.startsWith("lost_answer_") && !again;
    return loses ? error(504, "timeout") : answer;
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (faults.down) return new Response("down", { status: 503 });
      const answer = await answerTo(request);
      if (faults.losesAnswers && request.method === "POST") await new Promise(() => undefined);
      return Response.json(answer.body, { status: answer.status });
    },
  });
  server.unref();
  return {
    url: `http://127.0.0.1:${server.port}`,
    ...{ apiKey, customerId: customer, walletId: wallet, faults },
    /** In PEM format. */
    webhookKey: webhooks.publicKey,
    deliveries: webhooks.deliveries,
    sign: (body: string, at?: number) => webhooks.sign(body, at),
    /** Returns the number of paid transfers per reference, without returned transfers. */
    paid(): Map<string, number> {
      const paid = new Map<string, number>();
      for (const quote of quotes.values()) {
        if (derivePayoutStatus(quote) !== "COMPLETED") continue;
        paid.set(quote.reference, (paid.get(quote.reference) ?? 0) + 1);
      }
      return paid;
    },
    /** Returns the number of quotes that were requested for a reference. */
    quotesFor: (reference: string) =>
      [...quotes.values()].filter((one) => one.reference === reference).length,
    async stop(): Promise<void> {
      webhooks.stop();
      await server.stop(true);
    },
  };
}

export type QuoteProvider = ReturnType<typeof startQuoteProvider>;
