// The workers' one loop: derives work from changes, claims due items and passes them to the purpose's handler.
// A busy purpose delays no other, and one replica's claim is invisible to the others.
import { isDatabaseAway } from "#core/db/errors.ts";
import type { WorkPurpose } from "#core/db/schema/work.ts";
import { ServiceError } from "#core/errors.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import { describe } from "#core/log.ts";
import { untilItWorks } from "#core/runtime/startup.ts";
import type { Context } from "./context.ts";
import type { Problems } from "./problems.ts";
import { createTracker } from "./track-orders.ts";
import { createClaim, finishWork, type Outcome, RENEW_MS, renewLeases, type WorkItem } from "./work-items.ts";

/** The outcomes of items, by their order; an absent one is done. */
export type Outcomes = ReadonlyMap<WorkItem["orderId"], Outcome>;

export type WorkHandler = {
  /** The maximum number of items per call. */
  atOnce: number;
  /** Does what the present facts require of these orders. An error that it throws applies to each of them. */
  handle(items: readonly WorkItem[], head: Head): Promise<Outcomes>;
};

export type WorkHandlers = Partial<Record<WorkPurpose, WorkHandler>>;

/** A shared dependency is unavailable, which is not the fault of an order. */
const AWAY_MS = 1_000;
/** How long an unavailable database is waited for. */
const WRITE_WITHIN_MS = 20_000;

export class WorkLoop {
  readonly #track: ReturnType<typeof createTracker>;
  readonly #claim: ReturnType<typeof createClaim>;
  readonly #busy = new Map<WorkPurpose, Promise<void>>();
  /** The indexed head that the last run saw. */
  head: Head | undefined;

  /**
   * @param onIdle called when a purpose is free again, because more of it may be due
   * @param renewMs how often the leases of items in progress are renewed
   */
  constructor(
    private readonly context: Context,
    private readonly handlers: WorkHandlers,
    private readonly problems: Problems,
    private readonly onIdle: () => void,
    private readonly renewMs = RENEW_MS,
  ) {
    this.#track = createTracker(context);
    this.#claim = createClaim(context.database, context.deployment.id);
  }

  /**
   * Starts due items that are not in progress.
   * @param mayBeDue false: only the blocks' changes can make anything due
   * @param follow false: the blocks' changes have been followed since the last block
   * @returns the number of items
   */
  async run({ mayBeDue = true, follow = true } = {}): Promise<number> {
    let { head } = this;
    let mayClaim = mayBeDue;
    if (follow || !head) {
      const tracked = await this.#track();
      head = this.head = tracked.head;
      mayClaim ||= tracked.changed;
    }
    if (!mayClaim) return 0;
    const free = Object.entries(this.handlers)
      .filter(([purpose]) => !this.#busy.has(purpose as WorkPurpose))
      .map(([purpose, { atOnce }]) => [purpose, atOnce]);
    if (free.length === 0) return 0;
    const items = await this.#claim(Object.fromEntries(free), head);
    for (const [purpose, some] of Map.groupBy(items, (item) => item.purpose)) {
      const done = this.#work(purpose, some, head).finally(() => {
        this.#busy.delete(purpose);
        this.onIdle();
      });
      this.#busy.set(purpose, done);
    }
    return items.length;
  }

  /** Waits until nothing is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  async #work(purpose: WorkPurpose, items: WorkItem[], head: Head): Promise<void> {
    const subject = `work ${purpose}`;
    let failed = false;
    const onError = (error: unknown) => {
      failed = true;
      this.problems.report(subject, error);
    };
    // An item that cannot be renewed is claimed by another worker: acting twice is harmless.
    const renewal = setInterval(
      () => void renewLeases(this.context.database, items).catch(onError),
      this.renewMs,
    );
    try {
      const outcomes = await this.#handle(purpose, items, head, onError);
      await this.#finish(items.map((item) => [item, outcomes.get(item.orderId) ?? "done"]));
      if (!failed) this.problems.resolve(subject);
    } catch (error) {
      // Nothing could be stored: the lease ends by itself.
      onError(error);
    } finally {
      clearInterval(renewal);
    }
  }

  /** A restarting database is waited for: else every claimed item waits for the end of its lease. */
  async #finish(outcomes: readonly (readonly [WorkItem, Outcome])[]): Promise<void> {
    const giveUpAt = performance.now() + WRITE_WITHIN_MS;
    await untilItWorks(
      () => finishWork(this.context.database, outcomes),
      (error) => {
        if (!isDatabaseAway(error) || performance.now() > giveUpAt) throw error;
      },
    );
  }

  /** @param onError called with what the handler throws, before the outcomes are stored */
  async #handle(
    purpose: WorkPurpose,
    items: WorkItem[],
    head: Head,
    onError: (error: unknown) => void,
  ): Promise<Outcomes> {
    const handler = this.handlers[purpose];
    if (!handler) throw new Error(`No handler is registered for ${purpose}.`);
    const all = (outcome: Outcome): Outcomes => new Map(items.map(({ orderId }) => [orderId, outcome]));
    try {
      return await handler.handle(items, head);
    } catch (error) {
      onError(error);
      if (error instanceof ServiceError || isDatabaseAway(error)) return all({ delayMs: AWAY_MS });
      // One of them may be the reason: each is retried alone, so that it blocks none of the others.
      if (items.length === 1) return all({ refused: describe(error) });
      const each = new Map<WorkItem["orderId"], Outcome>();
      for (const item of items)
        for (const [id, outcome] of await this.#handle(purpose, [item], head, onError)) each.set(id, outcome);
      return each;
    }
  }
}
