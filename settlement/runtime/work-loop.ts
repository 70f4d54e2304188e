// The loop for all work items: derives work from changes, claims due items and passes them to the purpose's handler. A
// busy purpose does not delay the others, and items that one replica has claimed are invisible to the others.
import { isDatabaseUnavailable, isLockFailure } from "#core/db/errors.ts";
import type { WorkPurpose } from "#core/db/schema/work.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import { describe } from "#core/log.ts";
import { untilItWorks } from "#core/runtime/startup.ts";
import type { Context } from "./context.ts";
import { Lanes } from "./lanes.ts";
import { isPassing, type Problems } from "./problems.ts";
import { createTracker } from "./track-orders.ts";
import { createClaim, finishWork, type Outcome, RENEW_MS, renewLeases, type WorkItem } from "./work-items.ts";

/** The outcomes of items by order; an item without an outcome is done. */
export type Outcomes = ReadonlyMap<WorkItem["orderId"], Outcome>;

/** An error that ended a handler's run. It does not apply to the items that already have an outcome. */
class Interrupted extends Error {
  constructor(
    override readonly cause: unknown,
    readonly outcomes: Outcomes,
  ) {
    super("The run was interrupted.", { cause });
  }
}

/** Returns the outcomes that `act` adds. If it throws an error, those that it has already added are stored. */
export async function collectOutcomes(
  act: (outcomes: Map<WorkItem["orderId"], Outcome>) => Promise<void>,
): Promise<Outcomes> {
  const outcomes = new Map<WorkItem["orderId"], Outcome>();
  try {
    await act(outcomes);
  } catch (error) {
    throw new Interrupted(error, outcomes);
  }
  return outcomes;
}

export type WorkHandler = {
  /** Maximum number of items per call, of each kind that is claimed separately (work-items.ts). */
  atOnce: number;
  /** Maximum number of concurrent calls; the default is 1. No order is in two of them at a time. */
  lanes?: number;
  /**
   * Does what the current facts of these orders require. An error that it throws applies to each of the orders
   * (exception: collectOutcomes).
   */
  handle(items: readonly WorkItem[], head: Head): Promise<Outcomes>;
};

export type WorkHandlers = Partial<Record<WorkPurpose, WorkHandler>>;

/** Retry delay if a shared dependency is unavailable, which is not the fault of an order. */
const UNAVAILABLE_MS = 1_000;
/** Maximum number of items per call that are retried alone and fail because of locks, each after the lock timeout. */
const MOST_LOCKED = 3;
/** Maximum time to wait for an unavailable database. */
const WRITE_WITHIN_MS = 20_000;

export class WorkLoop {
  readonly #track: ReturnType<typeof createTracker>;
  readonly #claim: ReturnType<typeof createClaim>;
  readonly #lanes = new Map<WorkPurpose, Lanes>();
  /** The indexed head that the last run has read. */
  #head: Head | undefined;

  /**
   * @param onIdle called when a lane of a purpose is free again, because more of its items may be due
   * @param renewMs the interval at which the leases of items in progress are renewed
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
   * @param mayBeDue if false, only changes in blocks can have made items due
   * @param follow if false, no block has arrived since the changes were last tracked
   * @returns the number of started items
   */
  async run({ mayBeDue = true, follow = true } = {}): Promise<number> {
    let head = this.#head;
    let mayClaim = mayBeDue;
    if (follow || !head) {
      const tracked = await this.#track();
      head = this.#head = tracked.head;
      mayClaim ||= tracked.changed;
    }
    if (!mayClaim) return 0;
    let free = Object.entries(this.handlers)
      .map(([key, { atOnce, lanes = 1 }]) => {
        const purpose = key as WorkPurpose;
        return { purpose, atOnce, lanes: lanes - this.#lanesOf(purpose).size };
      })
      .filter(({ lanes }) => lanes > 0);
    let started = 0;
    while (free.length > 0) {
      const capacity = Object.fromEntries(free.map(({ purpose, atOnce }) => [purpose, atOnce]));
      // An item that changes while it is claimed could be claimed again at once.
      const inProgress = free.flatMap(({ purpose }) => this.#lanesOf(purpose).items);
      const items = await this.#claim(capacity, head, inProgress);
      const claimed = Map.groupBy(items, ({ purpose }) => purpose);
      for (const [purpose, some] of claimed)
        this.#lanesOf(purpose).start(
          some,
          (onError) => this.#work(purpose, some, head, onError),
          this.onIdle,
        );
      started += items.length;
      // A full claim may have left due items for another lane.
      free = free
        .filter(({ purpose, atOnce, lanes }) => lanes > 1 && (claimed.get(purpose)?.length ?? 0) >= atOnce)
        .map((one) => ({ ...one, lanes: one.lanes - 1 }));
    }
    return started;
  }

  #lanesOf(purpose: WorkPurpose): Lanes {
    const lanes = this.#lanes.get(purpose) ?? new Lanes(`work ${purpose}`, this.problems);
    this.#lanes.set(purpose, lanes);
    return lanes;
  }

  /** Waits until no item is in progress. */
  async settled(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lanes) => lanes.settled()));
  }

  async #work(
    purpose: WorkPurpose,
    items: readonly WorkItem[],
    head: Head,
    onError: (error: unknown) => void,
  ): Promise<void> {
    // If a renewal fails, another worker may claim the items: acting twice is harmless.
    const renewal = setInterval(
      () => void renewLeases(this.context.database, items).catch(onError),
      this.renewMs,
    );
    try {
      const outcomes = await this.#handle(purpose, items, head, onError);
      await this.#finish(items.map((item) => [item, outcomes.get(item.orderId) ?? "done"]));
    } catch (error) {
      // The outcomes could not be stored, so the lease ends by itself.
      onError(error);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Waits for a restarting database: otherwise every claimed item would wait for the end of its lease. */
  async #finish(outcomes: readonly (readonly [WorkItem, Outcome])[]): Promise<void> {
    const giveUpAt = performance.now() + WRITE_WITHIN_MS;
    await untilItWorks(
      () => finishWork(this.context.database, outcomes),
      (error) => {
        if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) throw error;
      },
    );
  }

  /** @param onError called with the handler's error before the outcomes are stored */
  async #handle(
    purpose: WorkPurpose,
    items: readonly WorkItem[],
    head: Head,
    onError: (error: unknown) => void,
  ): Promise<Outcomes> {
    const handler = this.handlers[purpose];
    if (!handler) throw new Error(`No handler is registered for ${purpose}.`);
    const outcomes = new Map<WorkItem["orderId"], Outcome>();
    /** @returns the error that ended the handler's run */
    const attempt = async (some: readonly WorkItem[]): Promise<unknown> => {
      try {
        const all = await handler.handle(some, head);
        for (const { orderId } of some) outcomes.set(orderId, all.get(orderId) ?? "done");
        return undefined;
      } catch (thrown) {
        const interrupted = thrown instanceof Interrupted ? thrown : undefined;
        for (const [orderId, outcome] of interrupted?.outcomes ?? []) outcomes.set(orderId, outcome);
        const error = interrupted ? interrupted.cause : thrown;
        onError(error);
        return error;
      }
    };
    const isLeft = ({ orderId }: WorkItem): boolean => !outcomes.has(orderId);

    let error = await attempt(items);
    let locked = 0;
    // A single item may be the cause, so each item is retried alone and blocks none of the others.
    for (const item of startAnywhere(items.filter(isLeft))) {
      const mayBeOne = isLockFailure(error) ? locked < MOST_LOCKED : !isPassing(error);
      if (items.length > 1 && mayBeOne) error = await attempt([item]);
      if (!isLeft(item)) continue;
      if (isLockFailure(error)) locked++;
      outcomes.set(item.orderId, isPassing(error) ? later(item, error) : { refused: describe(error) });
    }
    return outcomes;
  }
}

/** Rotates the items at random, so that the same ones are not always the first. */
function startAnywhere<Item>(items: readonly Item[]): Item[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

/** Returns the outcome of an item that an unavailable dependency has stopped, which is not the item's fault. */
const later = ({ attempts }: WorkItem, error: unknown): Outcome =>
  attempts > 0 ? { refused: describe(error), untried: true } : { delayMs: UNAVAILABLE_MS };
