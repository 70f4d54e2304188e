// Sends one webhook: resolves the host name once, rejects private addresses, and connects to exactly the address that
// it checked, so that a name which later resolves differently cannot redirect the request. It does not follow
// redirects.
import { ADDRCONFIG, type LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import {
  type ClientRequest,
  type IncomingMessage,
  request as overHttp,
  type RequestOptions,
} from "node:http";
import { request as overHttps } from "node:https";
import { isIP } from "node:net";
import pTimeout from "p-timeout";
import { hostOf, isPublicAddress, problemOfUrl } from "#core/webhooks/public-address.ts";

/** Maximum number of bytes of an endpoint's response that are stored. */
const KEPT_BYTES = 1_024;
/** Number of bytes that are read before the connection is closed. */
const READ_BYTES = 4_096;

export type Resolve = (host: string) => Promise<LookupAddress[]>;

export type Outgoing = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The timeout for the entire request: resolving, connecting, responding. */
  timeoutMs: number;
  allowPrivate: boolean;
  httpsOnly: boolean;
  signal?: AbortSignal;
  /** For tests: a custom resolver and certificate authority. */
  resolve?: Resolve;
  ca?: string;
};

export type Outcome = {
  /** Null if there was no response; `error` then has the reason. */
  statusCode: number | null;
  error: string | null;
  response: string | null;
  retryAfter: string | null;
  durationMs: number;
};

/** The reason why there was no response, in words that may be shown to the merchant. */
class NotDelivered extends Error {}

const resolveName: Resolve = (host) => lookup(host, { all: true, order: "ipv4first", hints: ADDRCONFIG });

async function resolveAddress({
  url,
  allowPrivate,
  httpsOnly,
  resolve = resolveName,
}: Outgoing): Promise<string> {
  const problem = problemOfUrl(url, { allowPrivate, httpsOnly });
  if (problem) throw new NotDelivered(`The URL is not allowed: ${problem}.`);
  const host = hostOf(new URL(url));
  const found = isIP(host)
    ? [host]
    : (
        await resolve(host).catch(() => {
          throw new NotDelivered("The host name could not be resolved.");
        })
      ).map(({ address }) => address);
  // A single private address is enough to reject the host, because any of its addresses might be used.
  if (!allowPrivate && !found.every(isPublicAddress)) {
    throw new NotDelivered("The host resolves to a private address, to which webhooks are not sent.");
  }
  const [first] = found;
  if (first === undefined) throw new NotDelivered("The host name could not be resolved.");
  return first;
}

/** Reads the start of the body and ignores the rest. */
async function readBeginning(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= READ_BYTES) break;
  }
  // PostgreSQL cannot store U+0000.
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString("utf8").replaceAll("\0", "");
}

function optionsFor({ url, headers, body, ca }: Outgoing, address: string): RequestOptions & { ca?: string } {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const named = isIP(hostOf(new URL(url))) === 0;
  return {
    method: "POST",
    hostname: address,
    port: port || (protocol === "https:" ? 443 : 80),
    path: `${pathname}${search}`,
    headers: { ...headers, host, "content-length": Buffer.byteLength(body), connection: "close" },
    agent: false,
    // The certificate must match the host name, although the connection goes to an address.
    ...(protocol === "https:" && named ? { servername: hostname.replace(/\.$/, "") } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}

type Answered = Pick<Outcome, "statusCode" | "response" | "retryAfter">;

async function exchange(outgoing: Outgoing, abort: AbortSignal): Promise<Answered> {
  const address = await resolveAddress(outgoing);
  abort.throwIfAborted();
  const options = optionsFor(outgoing, address);
  const request = outgoing.url.startsWith("https:") ? overHttps : overHttp;
  let sent: ClientRequest | undefined;
  try {
    const message = await new Promise<IncomingMessage>((answered, failed) => {
      sent = request(options, answered);
      sent.on("error", failed);
      abort.addEventListener("abort", () => failed(abort.reason), { once: true });
      sent.end(outgoing.body);
    });
    const statusCode = message.statusCode ?? null;
    const retryAfter = message.headers["retry-after"] ?? null;
    // The status decides the outcome; an incomplete body does not change it.
    const response = await untilAborted(readBeginning(message), abort).catch(() => null);
    return { statusCode, response, retryAfter };
  } finally {
    sent?.destroy();
  }
}

/** @throws the signal's reason when it aborts */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  pTimeout(work, { milliseconds: Number.POSITIVE_INFINITY, signal });

/**
 * Returns the public reason for a failure: codes such as ECONNREFUSED or CERT_HAS_EXPIRED, without addresses of this
 * gateway.
 */
function describeReason(error: unknown): string {
  if (error instanceof NotDelivered) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return `The connection failed (${code}).`;
}

/** @returns the outcome; never throws */
export async function post(outgoing: Outgoing): Promise<Outcome> {
  const { timeoutMs, signal } = outgoing;
  const began = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const abort = signal ? AbortSignal.any([timeout, signal]) : timeout;
  const nothing = { statusCode: null, response: null, retryAfter: null };
  const exchanged = exchange(outgoing, abort).then(
    (answered) => ({ ...answered, error: null }),
    (error: unknown) => ({ ...nothing, error: describeReason(error) }),
  );
  const outcome = await untilAborted(exchanged, abort).catch(() => ({
    ...nothing,
    error: `No response within ${timeoutMs / 1_000} seconds.`,
  }));
  return { ...outcome, durationMs: Math.round(performance.now() - began) };
}
