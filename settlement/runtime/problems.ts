import { isDatabaseUnavailable, isIndexerMissing } from "#core/db/errors.ts";
import { ServiceError } from "#core/errors.ts";
import { describe, type Logger } from "#core/log.ts";

/** Whether the error is temporary: a dependency is unavailable or still starting. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ServiceError || isDatabaseUnavailable(error) || isIndexerMissing(error);

/** Logs a problem when it appears and when it is resolved, not each time that it occurs. */
export class Problems {
  readonly #known = new Map<string, string>();

  constructor(private readonly log: Logger) {}

  /** @param subject the part that has the problem, e.g. a worker's name */
  report(subject: string, error: unknown): void {
    const cause = describe(error);
    if (this.#known.get(subject) === cause) return;
    this.#known.set(subject, cause);
    this.log[isPassing(error) ? "warn" : "error"]({ subject, cause }, "problem");
  }

  resolve(subject: string): void {
    if (this.#known.delete(subject)) this.log.info({ subject }, "problem resolved");
  }
}
