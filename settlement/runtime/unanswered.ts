// Keeps requests that the node leaves unanswered, although it responds to others, from delaying the other orders of their
// purpose.
import { ServiceError } from "#core/errors.ts";
import { describe } from "#core/log.ts";
import type { Refusal } from "./work-items.ts";

/**
 * Maximum number of requests per run and group that the node may leave unanswered, each until its timeout. The group's
 * other orders then wait for the next run.
 */
export const MOST_UNANSWERED = 3;

/** Counts the unanswered requests of one run, by group. */
export class Unanswered {
  readonly #counts = new Map<string, number>();

  /** @param isNodeResponding asks the node for something that it always answers */
  constructor(private readonly isNodeResponding: () => Promise<unknown>) {}

  isFull(group: string): boolean {
    return (this.#counts.get(group) ?? 0) >= MOST_UNANSWERED;
  }

  /**
   * Counts a failed request, for which only its own order has to wait.
   * @param text what the node did not do
   * @throws the error if the request is not at fault, because the node does not respond at all, and any other error
   */
  async refuse(group: string, text: string, error: unknown): Promise<Refusal> {
    if (!(error instanceof ServiceError)) throw error;
    await this.isNodeResponding().catch(() => {
      throw error;
    });
    this.#counts.set(group, (this.#counts.get(group) ?? 0) + 1);
    return { refused: `${text} ${describe(error)}` };
  }
}
