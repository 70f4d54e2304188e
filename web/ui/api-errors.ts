// Errors that the pages show when the gateway's API rejects a request or is unreachable.

/** A rejection by the API, with the API's message (core/errors.ts). */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | undefined,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }

  /** Rate limited: the request was not processed. */
  get tooOften(): boolean {
    return this.status === 429;
  }
}

/** There was no usable response, because the network or the gateway is down. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";

  constructor(
    message: string,
    options?: ErrorOptions,
    readonly retryAfterMs = 0,
  ) {
    super(message, options);
  }
}

/** Returns how long the gateway asks clients to wait, in milliseconds, or 0 if it does not say. */
const retryAfterMs = ({ headers }: Response): number => Number(headers.get("retry-after")) * 1_000 || 0;

/** Creates the error for a response that cannot be used. */
export const unreachable = (response: Response): Unreachable =>
  new Unreachable("The gateway cannot respond right now.", {}, retryAfterMs(response));
