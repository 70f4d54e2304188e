// Waits until a payment has reached a status.
import { GatewayError, TimeoutError, UnexpectedStatusError } from "../http/errors.ts";
import { readEvents } from "../http/event-stream.ts";
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import { isTransient } from "../http/retry.ts";
import { createDeadline, sleep } from "../http/sleep.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Schemas } from "../types/operations.ts";

export type PaymentIntentStatus = Schemas["PaymentIntentStatus"];
type Intent = Answer<"retrievePaymentIntent">;

export type WaitOptions = {
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds. Default: 300,000. */
  timeout?: number | undefined;
  /** Milliseconds between requests while there is no event stream. Default: 2,000. */
  pollInterval?: number | undefined;
};

const TIMEOUT_MS = 300_000;
const POLL_MS = 2_000;
/** Number of polls after a stream ends or fails, before a new stream is opened. */
const POLLS_WITHOUT_STREAM = 10;

/** Maximum number of rereads of a payment whose status is not yet the status that the stream reported. */
const REREADS_PER_EVENT = 5;

const ORDER: readonly PaymentIntentStatus[] = [
  "INITIATED",
  "REQUIRES_SIGNATURE",
  "PROCESSING",
  "SUCCEEDED",
  "SETTLED",
  "FINAL",
];

/** A payment that has passed a status counts as having reached it. */
const hasReached = (present: PaymentIntentStatus, wanted: PaymentIntentStatus): boolean =>
  present === wanted || (ORDER.includes(wanted) && ORDER.indexOf(present) > ORDER.indexOf(wanted));

/** Yields when the payment may have changed, with its status if known. Ends only when the signal aborts. */
async function* watch(
  transport: Transport,
  intentId: string,
  signal: AbortSignal,
  pollInterval: number,
): AsyncGenerator<PaymentIntentStatus | undefined, never, undefined> {
  const stream = path`/payment-intents/public/${intentId}/checkout`;
  for (;;) {
    try {
      const response = await transport.open(stream, "text/event-stream", {}, { signal, maxRetries: 0 });
      for await (const data of readEvents(response)) {
        yield (JSON.parse(data) as { status?: PaymentIntentStatus }).status;
      }
    } catch {
      signal.throwIfAborted();
    }
    for (let poll = 0; poll < POLLS_WITHOUT_STREAM; poll += 1) {
      await sleep(pollInterval, signal);
      yield undefined;
    }
  }
}

function retrieve(transport: Transport, intentId: string, options: RequestOptions): Promise<Intent> {
  return transport.hasKey
    ? transport.call<Answer<"retrievePaymentIntent">>("GET", path`/payment-intents/${intentId}`, {}, options)
    : (transport.call<Answer<"retrievePublicPaymentIntent">>(
        "GET",
        path`/payment-intents/public/${intentId}`,
        {},
        options,
      ) as Promise<Intent>);
}

/** @throws UnexpectedStatusError if the payment cannot reach the status without an action by the merchant */
function checkReachable({ id, status }: Intent, wanted: PaymentIntentStatus): void {
  if (status !== "CANCELED" && status !== "REQUIRES_ACTION" && status !== "FINAL") return;
  throw new UnexpectedStatusError(status, `${id} is ${status} and does not become ${wanted} by itself.`);
}

export async function waitForStatus(
  transport: Transport,
  intentId: string,
  wanted: PaymentIntentStatus,
  { signal, timeout = TIMEOUT_MS, pollInterval = POLL_MS }: WaitOptions = {},
): Promise<Intent> {
  signal?.throwIfAborted();
  const deadline = createDeadline(
    timeout,
    signal,
    () => new TimeoutError(`${intentId} did not become ${wanted} in ${timeout} ms.`),
  );
  let shown: PaymentIntentStatus | undefined;
  const poll = async (): Promise<Intent | undefined> => {
    const intent = await retrieve(transport, intentId, { signal: deadline.signal }).catch(
      (error: unknown) => {
        if (!isTransient(error) || deadline.signal.aborted) throw error;
        return undefined;
      },
    );
    shown = intent?.status;
    if (!intent) return undefined;
    if (hasReached(intent.status, wanted)) return intent;
    checkReachable(intent, wanted);
    return undefined;
  };
  try {
    const first = await poll();
    if (first) return first;
    for await (const status of watch(transport, intentId, deadline.signal, pollInterval)) {
      if (status !== undefined && status === shown) continue;
      for (let attempt = 0; ; attempt += 1) {
        const intent = await poll();
        if (intent) return intent;
        // The response may briefly lag behind the stream.
        if (status === undefined || status === shown || attempt === REREADS_PER_EVENT) break;
        await sleep(pollInterval, deadline.signal);
      }
    }
    throw new GatewayError("The watch ended.");
  } finally {
    deadline.end();
  }
}
