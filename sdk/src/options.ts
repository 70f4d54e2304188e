// What a client and its calls can be given.

/** As the global `fetch`: called with a URL and what `fetch` takes. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type GatewayOptions = {
  /** `sk_test_…` or `sk_live_…`. Public operations need none. */
  apiKey?: string | undefined;
  /** With the version at its end: `https://pay.example.com/v1`. Default: a gateway that `npm start` runs on this machine. */
  baseUrl?: string | undefined;
  /** Milliseconds for each attempt of a request, its body included. Default 60,000. */
  timeout?: number | undefined;
  /** How often a request is repeated that failed for a reason that may pass. Default 2. */
  maxRetries?: number | undefined;
  /** Sends the requests instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Allows a secret key in a browser, where anyone who opens the page can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
};

export type RequestOptions = {
  /** Ends the call, a wait between attempts included; the call throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for each attempt. */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  /** The request's own, so that a repetition has no second effect. By default each call makes one; null sends none, and such a call is never repeated. */
  idempotencyKey?: string | null | undefined;
  /** Names the request in the gateway's log; plain characters, at most 100. */
  requestId?: string | undefined;
};
