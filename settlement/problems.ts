// Says a problem once, not each time that it is met again.
import { describe, type Logger } from "#core/log.ts";

/** Logs a problem when it appears and when it is over, not each time that it is met again. */
export class Problems {
  readonly #known = new Map<string, string>();

  constructor(
    private readonly log: Logger,
    private readonly level: "warn" | "error" = "error",
  ) {}

  /** @param subject what has the problem, e.g. a reconciler's name */
  met(subject: string, error: unknown): void {
    const cause = describe(error);
    if (this.#known.get(subject) === cause) return;
    this.#known.set(subject, cause);
    this.log[this.level]({ subject, cause }, "problem");
  }

  over(subject: string): void {
    if (this.#known.delete(subject)) this.log.info({ subject }, "problem over");
  }
}
