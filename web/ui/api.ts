// Asks the gateway's API, which has the page's own origin.

/** What the API refused, in its own words (core/errors.ts). */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | undefined,
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
}

type ErrorBody = { error: { code: string; message: string; param?: string } };

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
  if (response.status >= 500) throw new Unreachable("The gateway cannot answer right now.");
  const { code, message, param } = (body as ErrorBody).error;
  throw new Refusal(response.status, code, message, param);
}

/** @param key makes a repetition harmless: the same key gets the same answer and has no second effect */
export const send = <T>(path: string, body: object, key?: string): Promise<T> =>
  ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key === undefined ? {} : { "Idempotency-Key": key }) },
    body: JSON.stringify(body),
  });
