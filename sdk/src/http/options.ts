// Options of the client and of its calls.

/** Compatible with the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type GatewayOptions = {
  /** Secret key: `sk_test_…` or `sk_live_…`. Public operations require no key. */
  apiKey?: string | undefined;
  /**
   * URL of the API, including the version: `https://pay.example.com/v1`. Default: the local gateway started by
   * `npm start`.
   */
  baseUrl?: string | undefined;
  /** Timeout of each attempt in milliseconds, including reading the body. Default: 60,000. */
  timeout?: number | undefined;
  /** Maximum number of retries after transient failures. Default: 2. */
  maxRetries?: number | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Allows a secret key in a browser, where anyone who opens the page can read it. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined;
};

export type RequestOptions = {
  /** Aborts the call, even while it waits between attempts. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Timeout of each attempt in milliseconds. */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * Makes retries of the request safe. By default, the client generates a key for each call. With null, it sends
   * no key and never retries the POST or PATCH.
   */
  idempotencyKey?: string | null | undefined;
  /** Identifies the request in the gateway's log. At most 100 letters, digits, `_`, `.` and `-`. */
  requestId?: string | undefined;
};
