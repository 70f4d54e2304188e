// The workers' one loop: derives work from what has changed, claims what is due and gives it to the purpose's handler.
// A purpose that is busy holds up no other, and one replica's claim is invisible to the others.
import { isDatabaseAway } from "#core/db/errors.ts";
import type { Head } from "#core/db/guard.ts";
import type { WorkPurpose } from "#core/db/schema/work.ts";
import { ServiceError } from "#core/errors.ts";
import { describe } from "#core/log.ts";
import { untilItWorks } from "#core/runtime/role.ts";
import type { Context } from "./context.ts";
import type { Problems } from "./problems.ts";
import { createTracker } from "./track-orders.ts";
import { createClaim, finishWork, type Outcome, RENEW_MS, renewLeases, type WorkItem } from "./work-items.ts";

/** What became of items, by their order; one that is not named is done. */
export type Outcomes = ReadonlyMap<WorkItem["orderId"], Outcome>;

export type WorkHandler = {
  /** The most items that it is given at a time. */
  atOnce: number;
  /** Does what the present facts require of these orders. What it throws holds for each of them. */
  handle(items: readonly WorkItem[], head: Head): Promise<Outcomes>;
};

export type WorkHandlers = Partial<Record<WorkPurpose, WorkHandler>>;

/** A part that everybody depends on is away: that says nothing of an order. */
const AWAY_MS = 1_000;
/** For so long a database that is away is waited for. */
const WRITE_WITHIN_MS = 20_000;

export class WorkLoop {
  readonly #track: ReturnType<typeof createTracker>;
  readonly #claim: ReturnType<typeof createClaim>;
  readonly #busy = new Map<WorkPurpose, Promise<void>>();
  /** The indexed head that the last run saw. */
  head: Head | undefined;

  /**
   * @param onIdle called when a purpose is free again, because more of it may be due
   * @param renewMs how often the leases of what is in progress are renewed
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
   * Begins what is due and not in progress.
   * @param mayBeDue false: nothing is due but what the blocks' changes make so
   * @param follow false: the blocks' changes have been followed since the last block
   * @returns how many items that is
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
      this.problems.met(subject, error);
    };
    // What cannot be renewed is claimed by another worker: acting twice is harmless.
    const renewal = setInterval(
      () => void renewLeases(this.context.database, items).catch(onError),
      this.renewMs,
    );
    try {
      const outcomes = await this.#handle(purpose, items, head, onError);
      await this.#finish(items.map((item) => [item, outcomes.get(item.orderId) ?? "done"]));
      if (!failed) this.problems.over(subject);
    } catch (error) {
      // Nothing could be written down: the lease ends by itself.
      onError(error);
    } finally {
      clearInterval(renewal);
    }
  }

  /** A database that restarts is waited for: else every claimed item waits for the end of its lease. */
  async #finish(outcomes: readonly (readonly [WorkItem, Outcome])[]): Promise<void> {
    const giveUpAt = performance.now() + WRITE_WITHIN_MS;
    await untilItWorks(
      () => finishWork(this.context.database, outcomes),
      (error) => {
        if (!isDatabaseAway(error) || performance.now() > giveUpAt) throw error;
      },
    );
  }

  /** @param onError called with what the handler throws, whatever becomes of the items */
  async #handle(
    purpose: WorkPurpose,
    items: WorkItem[],
    head: Head,
    onError: (error: unknown) => void,
  ): Promise<Outcomes> {
    const handler = this.handlers[purpose];
    if (!handler) throw new Error(`Nothing handles ${purpose}.`);
    const all = (outcome: Outcome): Outcomes => new Map(items.map(({ orderId }) => [orderId, outcome]));
    try {
      return await handler.handle(items, head);
    } catch (error) {
      onError(error);
      if (error instanceof ServiceError || isDatabaseAway(error)) return all({ delayMs: AWAY_MS });
      // One of them may be the reason: each is tried alone, so that it keeps none of the others.
      if (items.length === 1) return all({ refused: describe(error) });
      const each = new Map<WorkItem["orderId"], Outcome>();
      for (const item of items)
        for (const [id, outcome] of await this.#handle(purpose, [item], head, onError)) each.set(id, outcome);
      return each;
    }
  }
}
