// Options of the client and of its calls.

/** Compatible with the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type GatewayOptions = {
  /** `sk_test_…` or `sk_live_…`. Public operations need none. */
  apiKey?: string | undefined;
  /** Including the version: `https://pay.example.com/v1`. Default: the local gateway that `npm start` runs. */
  baseUrl?: string | undefined;
  /** Milliseconds per attempt, including reading the body. Default 60,000. */
  timeout?: number | undefined;
  /** How many times a request is retried after a transient failure. Default 2. */
  maxRetries?: number | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Allows a secret key in a browser, where anyone who opens the page can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
};

export type RequestOptions = {
  /** Aborts the call, including waits between attempts; the call throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds per attempt. */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * Makes retries of the request safe. Generated for each call by default; with null no key is sent and the
   * call is never retried.
   */
  idempotencyKey?: string | null | undefined;
  /** Identifies the request in the gateway's log; letters, digits, `_`, `.` and `-`, at most 100. */
  requestId?: string | undefined;
};
