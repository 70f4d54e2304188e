// Asks the gateway's API, which has the page's own origin.

/** What the API refused, in its own words (core/errors.ts). */
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

  /** There were too many questions, and this one was not even looked at. */
  get tooOften(): boolean {
    return this.status === 429;
  }
}

/** Nobody answered: the network is away, or the gateway is. */
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

type ErrorBody = { error: { code: string; message: string; param?: string } };

/** How long the gateway asks to be left alone; 0 if it names no time. */
const retryAfterMs = ({ headers }: Response): number => Number(headers.get("retry-after")) * 1_000 || 0;

/** The gateway answered, but not to what it was asked. */
export const unreachable = (response: Response): Unreachable =>
  new Unreachable("The gateway cannot answer right now.", {}, retryAfterMs(response));

/**
 * @param path below /v1, such as `/payment-intents`
 * @throws Refusal, Unreachable
 */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`/v1${path}`, { ...init, cache: "no-store" });
    body = await response.json();
  } catch (cause) {
    throw new Unreachable("The gateway cannot be reached.", { cause });
  }
  if (response.ok) return body as T;
  if (response.status >= 500) throw unreachable(response);
  const { code, message, param } = (body as ErrorBody).error;
  throw new Refusal(response.status, code, message, param, retryAfterMs(response));
}

/** @param key makes a repetition harmless: the same key gets the same answer and has no second effect */
export const send = <T>(path: string, body: object, key?: string): Promise<T> =>
  ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key === undefined ? {} : { "Idempotency-Key": key }) },
    body: JSON.stringify(body),
  });
