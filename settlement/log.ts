// JSON logs. What an error says is cut down to what is safe to show: an RPC address may hold a key, a request a signed
// transaction, a payout somebody's account.

import { DrizzleQueryError } from "drizzle-orm/errors";
import pino, { type Logger } from "pino";
import { BaseError } from "viem";

export type { Logger };

export const createLog = (level: string): Logger => pino({ level, base: { role: "settlement" } });

/** An error in one line, without addresses of services and without what was sent to them. */
export function describe(error: unknown): string {
  // What it says itself is the query and its parameters.
  if (error instanceof DrizzleQueryError && error.cause) return describe(error.cause);
  if (!(error instanceof Error)) return "something that is not an error was thrown";
  const said = error instanceof BaseError ? error.shortMessage : error.message;
  const own = `${error.name}: ${said.split("\n", 1)[0]}`.replace(/\b[a-z+]+:\/\/\S+/gi, "<address>");
  const { cause } = error;
  return cause instanceof Error && !own.includes(cause.message) ? `${own} (${describe(cause)})` : own;
}

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
