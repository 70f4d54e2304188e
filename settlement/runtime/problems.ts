// Says a problem once, not each time that it is met again.
import { isDatabaseAway, isIndexerMissing } from "#core/db/errors.ts";
import { ServiceError } from "#core/errors.ts";
import { describe, type Logger } from "#core/log.ts";

/** A part that we stand on is away or on its way up: it passes by itself. */
const isPassing = (error: unknown): boolean =>
  error instanceof ServiceError || isDatabaseAway(error) || isIndexerMissing(error);

/** Logs a problem when it appears and when it is over, not each time that it is met again. */
export class Problems {
  readonly #known = new Map<string, string>();

  constructor(private readonly log: Logger) {}

  /** @param subject what has the problem, e.g. a reconciler's name */
  met(subject: string, error: unknown): void {
    const cause = describe(error);
    if (this.#known.get(subject) === cause) return;
    this.#known.set(subject, cause);
    this.log[isPassing(error) ? "warn" : "error"]({ subject, cause }, "problem");
  }

  over(subject: string): void {
    if (this.#known.delete(subject)) this.log.info({ subject }, "problem over");
  }
}
