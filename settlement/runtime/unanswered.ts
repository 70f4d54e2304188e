// Keeps requests that the node or the operator's signer leaves unanswered, although it responds to others, from delaying
// the other orders of their purpose.
import { ServiceError } from "#core/errors.ts";
import { describe } from "#core/log.ts";
import type { Refusal } from "./work-items.ts";

/**
 * Maximum number of requests per run and group that may stay unanswered, each until its timeout. The group's
 * other orders then wait for the next run.
 */
export const MOST_UNANSWERED = 3;

/** Counts the unanswered requests of one run, by group. */
export class Unanswered {
  readonly #counts = new Map<string, number>();

  /** @param checkResponding requests something that is always answered */
  constructor(private readonly checkResponding: () => Promise<unknown>) {}

  isFull(group: string): boolean {
    return (this.#counts.get(group) ?? 0) >= MOST_UNANSWERED;
  }

  /**
   * Counts a failed request, for which only its own order has to wait.
   * @param text what was not done
   * @throws the error if the request is not at fault, because nothing is answered, and any other error
   */
  async refuse(group: string, text: string, error: unknown): Promise<Refusal> {
    if (!(error instanceof ServiceError)) throw error;
    await this.checkResponding().catch(() => {
      throw error;
    });
    this.#counts.set(group, (this.#counts.get(group) ?? 0) + 1);
    return { refused: `${text} ${describe(error)}` };
  }
}
