// Simulates the payout provider over real HTTP: the part of Bridge's API that settlement/off-ramp/bridge uses. `npm
// start` and the tests use it for payouts. No money moves. The prefix of an account number selects a transfer's outcome
// (settlement/off-ramp/README.md), and `faults` simulates all other failures.
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Address } from "viem";
import {
  type ForcedState,
  type StoredTransfer,
  type TransferNow,
  TransferStore,
  type TransferStoreOptions,
} from "./transfer-store.ts";
import { type Delivery, type WebhookFaults, Webhooks } from "./webhooks.ts";

export type ProviderFaults = {
  /** Responds with 503 and does nothing. */
  down: boolean;
  /** Delay of each response; the request itself is executed immediately. */
  delayMs: number;
  /** Accepts a transfer but never responds. */
  losesAnswers: boolean;
  /** Rejects every transfer for insufficient funds, and remembers the rejection by its Idempotency-Key. */
  short: boolean;
  webhooks: WebhookFaults;
};

export type SimulatedProvider = {
  /** The settings that a gateway needs to use this provider (core/config/off-ramp-config.ts). */
  environment: Record<string, string>;
  faults: ProviderFaults;
  /** Returns the number of paid transfers per reference, without returned transfers. */
  paid(): Map<string, number>;
  /** Simulates that the receiving bank returns the transfer with this reference, and reports the return by webhook. */
  giveBack(reference: string): Promise<void>;
  /** Puts the transfer with this reference into a state (default: completed) immediately, and reports it by webhook. */
  carryOut(reference: string, state?: ForcedState): Promise<void>;
  /** Creates `count` transfers that the gateway did not order and that are `agoMs` milliseconds old. */
  addForeign(count: number, agoMs?: number): void;
  /** Adds another wallet to the account. @returns its id */
  addWallet(address: Address): string;
  /** Replaces the account's API key, also in `environment`. The provider rejects the old key from then on. */
  rotateKey(): void;
  /** Returns the current state of every transfer, oldest first. */
  transfers(): TransferNow[];
  /** Returns the number of requests received. */
  requests(): number;
  /** The gateway's response to each webhook. */
  deliveries: readonly Delivery[];
  /** Returns a webhook's signature over this body, for the given time or the current time. */
  sign(body: string, at?: number): string;
  stop(): Promise<void>;
};

export type ProviderOptions = Partial<TransferStoreOptions> & {
  webhookUrl: string;
  /** The address of the account's first wallet. */
  walletAddress: Address;
  /** Part of the customer and wallet ids, unique per account. Default: `gateway`. */
  account?: string;
  port?: number;
  /**
   * How long an Idempotency-Key returns its first response. Later requests with the key are rejected. Default: one day.
   */
  keysLastMs?: number;
};

const NewAccount = Type.Object({
  iban: Type.Optional(Type.Object({ account_number: Type.String() })),
  account: Type.Optional(Type.Object({ account_number: Type.String() })),
});
const NewTransferBody = Type.Object({
  client_reference_id: Type.String(),
  amount: Type.String({ pattern: "^\\d+(\\.\\d+)?$" }),
  on_behalf_of: Type.String(),
  source: Type.Object({ currency: Type.String(), bridge_wallet_id: Type.String() }),
  destination: Type.Object({
    payment_rail: Type.String(),
    currency: Type.String(),
    external_account_id: Type.String(),
  }),
});

type Answer = { status: number; body: object };
const ok = (body: object, status = 200): Answer => ({ status, body });
const error = (status: number, code: string, more: object = {}): Answer => ({
  status,
  body: { code, message: code, ...more },
});

/** Starts a provider without any data. */
export function startProvider({
  webhookUrl,
  walletAddress,
  account = "gateway",
  port = 0,
  keysLastMs = 86_400_000,
  ...times
}: ProviderOptions): SimulatedProvider {
  const customer = `customer_${account}`;
  const wallet = `wallet_${account}`;
  const wallets = new Map([[wallet, walletAddress]]);
  const store = new TransferStore({ minMs: 10_000, maxMs: 30_000, ...times });
  const webhooks = new Webhooks(webhookUrl);
  const environment: Record<string, string> = {
    OFF_RAMP_API_KEY: randomUUID(),
    OFF_RAMP_CUSTOMER_ID: customer,
    OFF_RAMP_WALLET_ID: wallet,
    OFF_RAMP_WEBHOOK_KEY: webhooks.publicKey,
  };
  const faults: ProviderFaults = {
    down: false,
    delayMs: 0,
    losesAnswers: false,
    short: false,
    webhooks: webhooks.faults,
  };
  /** The request digest, the response and the time of the first request, by Idempotency-Key. */
  const answered = new Map<string, { digest: string; answer: Answer; at: number }>();
  const accountIds = new Map<string, string>();
  let requests = 0;

  function addAccount(text: string): Answer {
    const body = read(NewAccount, text);
    const number = body?.iban?.account_number ?? body?.account?.account_number;
    if (!number || number.startsWith("refused_")) return error(400, "invalid_account_number");
    const known = accountIds.get(text);
    if (known) return error(400, "duplicate_external_account", { id: known });
    const id = store.addAccount(number);
    accountIds.set(text, id);
    return ok({ id }, 201);
  }

  function addTransfer(text: string): Answer {
    const body = read(NewTransferBody, text);
    const isOurs = body?.on_behalf_of === customer && wallets.has(body.source.bridge_wallet_id);
    if (!body || !isOurs) return error(400, "invalid_parameters");
    const { external_account_id: accountId, ...destination } = body.destination;
    const number = store.accountNumber(accountId);
    if (number === undefined) return error(400, "unknown_external_account");
    if (faults.short) return error(400, "insufficient_balance");
    const transfer = store.addTransfer({
      reference: body.client_reference_id,
      amount: body.amount,
      currency: body.source.currency,
      walletId: body.source.bridge_wallet_id,
      accountId,
      destination,
    });
    webhooks.follow(transfer, () => store.show(transfer));
    return ok(store.show(transfer), 201);
  }

  /** For one day, the same key with the same body identifies the same request (Bridge, "Idempotency"). */
  function once(key: string | null, text: string, act: (text: string) => Answer): Answer {
    if (!key) return error(400, "missing_idempotency_key");
    const digest = createHash("sha256").update(text).digest("hex");
    const earlier = answered.get(key);
    if (earlier) {
      const same = earlier.digest === digest && Date.now() - earlier.at <= keysLastMs;
      return same ? earlier.answer : error(422, "idempotency_key_reused");
    }
    const answer = act(text);
    if (answer.status < 500) answered.set(key, { digest, answer, at: Date.now() });
    return answer;
  }

  async function post(request: Request, path: string): Promise<Answer> {
    const text = await request.text();
    const key = request.headers.get("Idempotency-Key");
    const again = key !== null && answered.has(key);
    if (path === `/customers/${customer}/external_accounts`) return once(key, text, addAccount);
    if (path !== "/transfers") return error(404, "not_found");
    const answer = once(key, text, addTransfer);
    const accountId = read(NewTransferBody, text)?.destination.external_account_id ?? "";
    const loses = store.accountNumber(accountId)?.startsWith("lost_answer_");
    return loses && !again ? error(504, "timeout") : answer;
  }

  function get(url: URL, path: string): Answer {
    const limit = Math.min(Number(url.searchParams.get("limit") ?? 10), 100);
    const after = url.searchParams.get("starting_after") ?? undefined;
    const show = (transfer: StoredTransfer) => store.show(transfer);
    if (path === "/transfers") {
      const data = store.page(limit, after).map(show);
      return ok({ count: data.length, data });
    }
    const walletPath = `/customers/${customer}/wallets/`;
    if (path.startsWith("/customers/")) {
      const id = path.startsWith(walletPath) ? path.slice(walletPath.length) : "";
      const address = wallets.get(id);
      return address ? ok({ id, chain: "ethereum", address }) : error(404, "not_found");
    }
    const transfer = store.find(path.replace("/transfers/", ""));
    return transfer ? ok(show(transfer)) : error(404, "not_found");
  }

  function cancel(path: string): Answer {
    const transfer = store.find(path.replace("/transfers/", ""));
    if (!transfer) return error(404, "not_found");
    if (!store.cancel(transfer)) return error(400, "transfer_cannot_be_deleted");
    void webhooks.notify(transfer, store.show(transfer));
    return ok({ id: transfer.id });
  }

  async function answerTo(request: Request): Promise<Answer> {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^\/v0/, "");
    if (request.headers.get("Api-Key") !== environment.OFF_RAMP_API_KEY)
      return error(401, "invalid_credentials");
    if (request.method === "POST") return post(request, path);
    return request.method === "DELETE" ? cancel(path) : get(url, path);
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      requests++;
      if (faults.down) return new Response("down", { status: 503 });
      const answer = await answerTo(request);
      const isOrder = request.method === "POST" && request.url.endsWith("/transfers");
      if (faults.losesAnswers && isOrder) await new Promise(() => undefined);
      if (faults.delayMs > 0) await delay(faults.delayMs);
      return Response.json(answer.body, { status: answer.status });
    },
  });

  async function notify(transfers: StoredTransfer[]): Promise<void> {
    for (const transfer of transfers) await webhooks.notify(transfer, store.show(transfer));
  }

  // The server must not keep the process that started it running.
  server.unref();
  environment.OFF_RAMP_API_URL = `http://127.0.0.1:${server.port}/v0`;
  return {
    environment,
    faults,
    paid: () => store.paid(),
    carryOut: (reference, state) => notify(store.carryOut(reference, state)),
    giveBack: (reference) => notify(store.giveBack(reference)),
    addForeign(count, agoMs = 0) {
      const accountId = store.addAccount("foreign");
      const destination = { payment_rail: "ach", currency: "usd" };
      for (let i = 0; i < count; i++) {
        const foreign = {
          reference: randomUUID(),
          amount: "1.0",
          currency: "usdc",
          walletId: "wallet_foreign",
        };
        store.addTransfer({ ...foreign, accountId, destination }, Date.now() - agoMs);
      }
    },
    addWallet(address) {
      const id = `${wallet}_${wallets.size + 1}`;
      wallets.set(id, address);
      return id;
    },
    rotateKey() {
      environment.OFF_RAMP_API_KEY = randomUUID();
    },
    transfers: () => store.transfers(),
    requests: () => requests,
    deliveries: webhooks.deliveries,
    sign: (body, at) => webhooks.sign(body, at),
    async stop() {
      webhooks.stop();
      await server.stop(true);
    },
  };
}

function read<T extends TSchema>(schema: T, text: string): Static<T> | undefined {
  const body: unknown = JSON.parse(text);
  return Value.Check(schema, body) ? body : undefined;
}
