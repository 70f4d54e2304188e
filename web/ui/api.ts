// What the pages show when the gateway's API refuses or is away.

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

/** How long the gateway asks to be left alone; 0 if it names no time. */
const retryAfterMs = ({ headers }: Response): number => Number(headers.get("retry-after")) * 1_000 || 0;

/** The gateway answered, but not to what it was asked. */
export const unreachable = (response: Response): Unreachable =>
  new Unreachable("The gateway cannot answer right now.", {}, retryAfterMs(response));
