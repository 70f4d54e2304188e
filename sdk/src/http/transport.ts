// Sends requests with authentication, retries, timeouts and error handling.
import { ConnectionError, createApiError, GatewayError, TimeoutError } from "./errors.ts";
import type { Fetch, GatewayOptions, RequestOptions } from "./options.ts";
import { writeQuery } from "./query.ts";
import { isTransient, retryDelay } from "./retry.ts";
import { createDeadline, type Deadline, sleep } from "./sleep.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type Sent = { query?: object | undefined; body?: object | undefined };

/** Reads a response, and clears or ends its deadline. */
type Read<T> = (response: Response, deadline: Deadline) => Promise<T>;

const LOCAL_BASE_URL = "http://localhost:3000/api/v1";
const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;

/** 128 random bits. `crypto.randomUUID` is unavailable on pages that are not served over https. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

export class Transport {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #timeout: number;
  readonly #maxRetries: number;
  readonly #fetch: Fetch;

  constructor({ apiKey, baseUrl, timeout, maxRetries, fetch }: GatewayOptions) {
    if (baseUrl === undefined && apiKey?.startsWith("sk_live_")) {
      throw new GatewayError("A live key requires the gateway's baseUrl.");
    }
    this.#baseUrl = (baseUrl ?? LOCAL_BASE_URL).replace(/\/+$/, "");
    this.#apiKey = apiKey;
    this.#timeout = timeout ?? TIMEOUT_MS;
    this.#maxRetries = maxRetries ?? MAX_RETRIES;
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  get hasKey(): boolean {
    return this.#apiKey !== undefined;
  }

  /** Sends an operation's request and returns its response. */
  async call<Answered>(
    method: Method,
    path: string,
    sent: Sent = {},
    options: RequestOptions = {},
  ): Promise<Answered> {
    const text = await this.#repeat(
      method,
      path,
      sent,
      options,
      "application/json",
      async (response, deadline) => {
        const body = await response.text();
        deadline.end();
        return body;
      },
    );
    try {
      return JSON.parse(text) as Answered;
    } catch (cause) {
      throw new ConnectionError("The answer is not JSON: is baseUrl the gateway's?", { cause });
    }
  }

  /**
   * Sends a GET request whose response body the caller reads. The timeout and the retries apply until the
   * headers arrive. The abort signal applies until the end of the body.
   */
  open(path: string, accept: string, sent: Sent = {}, options: RequestOptions = {}): Promise<Response> {
    return this.#repeat("GET", path, sent, options, accept, async (response, deadline) => {
      deadline.clear();
      return response;
    });
  }

  async #repeat<T>(
    method: Method,
    path: string,
    { query = {}, body }: Sent,
    options: RequestOptions,
    accept: string,
    read: Read<T>,
  ): Promise<T> {
    const headers: Record<string, string> = { Accept: accept };
    if (this.#apiKey !== undefined) headers.Authorization = `Bearer ${this.#apiKey}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (options.requestId !== undefined) headers["X-Request-Id"] = options.requestId;
    const takesKey = method === "POST" || method === "PATCH";
    const key =
      takesKey && options.idempotencyKey !== null ? (options.idempotencyKey ?? newKey()) : undefined;
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const init: RequestInit = {
      method,
      headers,
      // Following a redirect could turn a POST into a GET.
      redirect: "manual",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const url = `${this.#baseUrl}${path}${writeQuery(query)}`;
    const isRepeatable = method === "GET" || key !== undefined;
    const retries = isRepeatable ? (options.maxRetries ?? this.#maxRetries) : 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(url, init, options, read);
      } catch (error) {
        options.signal?.throwIfAborted();
        const delay = attempt < retries && isTransient(error) ? retryDelay(attempt, error) : undefined;
        if (delay === undefined) throw error;
        await sleep(delay, options.signal);
      }
    }
  }

  async #attempt<T>(
    url: string,
    init: RequestInit,
    { signal, timeout = this.#timeout }: RequestOptions,
    read: Read<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const deadline = createDeadline(timeout, signal, () => new TimeoutError(`No answer in ${timeout} ms.`));
    try {
      const response = await this.#fetch(url, { ...init, signal: deadline.signal });
      if (response.ok) return await read(response, deadline);
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        throw new GatewayError("The gateway's address redirects elsewhere: is baseUrl right?");
      }
      throw createApiError(response, await response.text());
    } catch (cause) {
      deadline.end();
      if (deadline.signal.aborted) throw deadline.signal.reason;
      if (cause instanceof GatewayError) throw cause;
      throw new ConnectionError("The gateway cannot be reached.", { cause });
    }
  }
}
