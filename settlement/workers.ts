// Creates every worker of the role, and wakes it on a block, a notification, a timer, or another worker's request.
import type { Config } from "#core/config/config.ts";
import { BLOCK_CHANNEL } from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { type Listener, listen } from "#core/db/listen.ts";
import { DELIVERY_CHANNEL } from "#core/events/record-events.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { DUE_WORK } from "./due-work.ts";
import { createReportFollower, createTransactionFollower } from "./escrow/follow-transactions.ts";
import { createSkipReporter } from "./escrow/report-skipped.ts";
import { createTokenWatcher } from "./escrow/watch-tokens.ts";
import { createObservationScan } from "./events/scan-observations.ts";
import { createSealer } from "./events/seal-audit-log.ts";
import { createPoster } from "./ledger/post.ts";
import { createWebhookReceiver, type WebhookReceiver } from "./off-ramp/receive-webhook.ts";
import { createPayoutEnqueuer } from "./payouts/enqueue-due-payouts.ts";
import { createPayoutHandler } from "./payouts/pay-out.ts";
import { PAYOUT_QUEUE, type PayoutJob, WORK } from "./payouts/payout-queue.ts";
import { createScheduledReconciler } from "./reconciliation/on-schedule.ts";
import type { Context } from "./runtime/context.ts";
import { createDueFinder } from "./runtime/find-due.ts";
import { Leader } from "./runtime/leader.ts";
import { Pace } from "./runtime/pace.ts";
import { PriorityGate } from "./runtime/priority-gate.ts";
import type { Problems } from "./runtime/problems.ts";
import { createRetentionWorker } from "./runtime/retention/delete-expired.ts";
import { createScan } from "./runtime/scan-orders.ts";
import type { Scan, ScanOptions } from "./runtime/scan-pages.ts";
import { WorkLoop } from "./runtime/work-loop.ts";
import { Worker } from "./runtime/worker.ts";
import { createDeliverer, type Deliverer } from "./webhooks/deliver.ts";
import { createWorkHandlers } from "./work-handlers.ts";

/** Interval at which the end of the audit log is read; each run seals the rows that an earlier run has read. */
const SEAL_MS = 1_000;
/** Minimum interval between queries of due work, so that blocks that arrive faster are followed together. */
const FOLLOW_MS = 200;
/** Interval at which outcomes are emitted while payouts are made without a break. */
const EMIT_MS = 500;
/** Final transactions are compared with the chain once in this many polls. */
const POLLS_UNTIL_RECHECK = 15;
/** Every payment that can still change is scanned once in this many polls. A longer scan starts again at once. */
const POLLS_UNTIL_SCAN = 150;
/** The scan's interval between pages of a hundred payments, and how many of them are read without a pause. */
const SCAN_PAGE_MS = 2_000;
const SCAN_BURST = 10;
/** The time between a scan's two looks: longer than observations usually wait while many are due. */
const SECOND_READ_MS = 10_000;
const LISTENER = "settlement-listener";
/** The chain's head is polled twice per block, but no more often than this. */
const SHORTEST_HEAD_POLL_MS = 250;

const headPollMs = ({ chain, pollIntervalMs }: Config): number =>
  Math.max(SHORTEST_HEAD_POLL_MS, Math.min(pollIntervalMs, (chain.blockTime * 1_000) / 2));

/** Runs every worker on start, then each one again when it is notified. */
export class Workers {
  /** The workers that are woken by each block's query of due work. */
  readonly #due: Record<keyof typeof DUE_WORK, { wake(): void }>;
  readonly #followers: Worker[];
  readonly #delivering: Worker;
  readonly #findDue: Worker;
  /** Workers that can wait for the next poll, because nothing depends on them. */
  readonly #keepers: Worker[];
  /** Find unscheduled work. They share one pace. */
  readonly #scans: Worker[];
  /** Logs the orders that batches skipped. */
  readonly #skipReporter: Worker;
  /** Posts to the ledger; can wait for the next poll. */
  readonly #poster: Worker;
  readonly #sealer: Worker;
  /** Has its own interval, because a token's issuer may act while the indexer is unavailable. */
  readonly #tokenWatcher: Worker;
  /** Only one of several replicas scans, reconciles and deletes. */
  readonly #leader: Leader;
  /** Runs the work that is due for orders. */
  readonly #loop: WorkLoop;
  readonly #work: Worker;
  /** Whether the next run of `#work` claims items, and whether it tracks the changes of new blocks. */
  #nextRun = { mayBeDue: true, follow: true };
  readonly #deliverer: Deliverer;
  /** Undefined if no provider sends webhooks. */
  readonly receiveWebhook: WebhookReceiver | undefined;
  #listener: Listener | undefined;
  #deliveryListener: Listener | undefined;
  #timers: ReturnType<typeof setInterval>[] = [];
  /** Whether a block has arrived since the last poll. */
  #hasBlock = false;
  /** Postpones other work while payouts are made. */
  readonly #gate = new PriorityGate(EMIT_MS);

  /** @param scanReads the full scans' own connection, so that they never keep another reader waiting */
  constructor(
    private readonly context: Context,
    private readonly problems: Problems,
    scanReads: Database = context.reads,
  ) {
    const run = (
      name: string,
      make: (context: Context) => (stopping: AbortSignal) => Promise<void>,
      everyMs?: number,
    ) => new Worker(name, make(context), problems, everyMs);
    /** A worker that only the leader runs. */
    const lead = (name: string, make: (context: Context) => (stopping: AbortSignal) => Promise<unknown>) =>
      run(name, (parts) => this.#whenLeading(make(parts)));
    this.#leader = new Leader(context.database, problems, () => this.#wakeScans());
    this.#sealer = lead("seal audit log", createSealer);
    this.#tokenWatcher = run("watch tokens", createTokenWatcher);
    this.#poster = lead("post to ledger", createPoster);
    const pace = new Pace(SCAN_PAGE_MS, SCAN_BURST);
    const pause = async (stopping?: AbortSignal) => {
      await pace.wait(stopping);
      await this.#gate.pause();
      return this.#leader.leads && !stopping?.aborted;
    };
    const reader = createIntentReader({ ...context, reads: scanReads });
    const scan = (name: string, create: (context: Context, options: ScanOptions) => Scan) =>
      lead(name, (parts) =>
        create({ ...parts, reads: scanReads, reader }, { pause, secondReadMs: SECOND_READ_MS }),
      );
    this.#scans = [scan("scan orders", createScan), scan("scan observations", createObservationScan)];
    this.#loop = new WorkLoop(context, createWorkHandlers(context), problems, () => this.#claim());
    this.#work = run("work", () => async () => {
      const next = this.#nextRun;
      this.#nextRun = { mayBeDue: false, follow: false };
      try {
        await this.#loop.run(next);
      } catch (error) {
        this.#nextRun = { mayBeDue: true, follow: true };
        throw error;
      }
    });
    this.#deliverer = createDeliverer(context, () => this.#delivering.wake());
    this.#delivering = run("deliver webhooks", () => () => this.#deliverer.run());
    const transactions = lead("follow transactions", createTransactionFollower);
    const payouts = lead("send due payouts", createPayoutEnqueuer);
    this.#followers = [transactions, payouts];
    this.#due = { work: { wake: () => this.#claim() }, transactions, payouts, deliveries: this.#delivering };
    const findDue = (parts: Context) => {
      const find = createDueFinder(parts, DUE_WORK);
      return async () => {
        const due = await find();
        // Must be set before the wake: an item may be due because of the new block alone, and a claim with the old head
        // would miss it.
        this.#nextRun.follow = true;
        for (const name of due) this.#due[name].wake();
        this.#work.wake();
      };
    };
    this.#findDue = run("find due work", findDue, FOLLOW_MS);
    this.#keepers = [
      lead("reconcile", createScheduledReconciler),
      lead("retention", createRetentionWorker),
      lead("follow reported transactions", createReportFollower),
    ];
    this.#skipReporter = lead("report skipped settlements", createSkipReporter);
    this.receiveWebhook = createWebhookReceiver(context, () => this.wake());
  }

  async start(): Promise<void> {
    const { boss, config } = this.context;
    const follow = () => {
      this.#hasBlock = true;
      this.#follow();
    };
    const pay = createPayoutHandler(this.context, () => this.#emit());
    await boss.work<PayoutJob>(PAYOUT_QUEUE, WORK, async (jobs) => {
      // A job has arrived, so the queue works again after a failure.
      this.problems.resolve("queue");
      await this.#gate.runFirst(() => pay([...new Set(jobs.flatMap((job) => job.data.payoutIds))]));
    });
    this.#listener = listen(config.databaseUrl, BLOCK_CHANNEL, follow, this.problems, LISTENER);
    const deliver = () => this.#delivering.wake();
    this.#deliveryListener = listen(config.databaseUrl, DELIVERY_CHANNEL, deliver, this.problems, LISTENER);
    await this.#leader.start();
    const { pollIntervalMs } = config;
    this.#timers = [
      setInterval(() => this.#keep(), pollIntervalMs),
      setInterval(() => this.#poll(), pollIntervalMs),
      setInterval(() => this.#sealer.wake(), SEAL_MS),
      setInterval(() => this.#recheck(), POLLS_UNTIL_RECHECK * pollIntervalMs),
      setInterval(() => this.#wakeScans(), POLLS_UNTIL_SCAN * pollIntervalMs),
      setInterval(() => this.#tokenWatcher.wake(), headPollMs(config)),
    ];
    this.#recheck();
    this.wake();
  }

  #whenLeading(run: (stopping: AbortSignal) => Promise<unknown>) {
    return async (stopping: AbortSignal) => {
      if (this.#leader.leads) await run(stopping);
    };
  }

  async checkReady(): Promise<void> {
    await this.context.reader.head();
  }

  wake(): void {
    this.#follow();
    this.#keep();
    for (const worker of [...Object.values(this.#due), this.#sealer]) worker.wake();
  }

  #keep(): void {
    this.#gate.wake(this.#poster);
    for (const keeper of this.#keepers) keeper.wake();
  }

  #wakeScans(): void {
    for (const scan of this.#scans) scan.wake();
  }

  #recheck(): void {
    for (const worker of [this.#skipReporter, this.#due.transactions]) worker.wake();
  }

  /** If blocks have arrived since the last poll, each of them has already woken these workers. */
  #poll(): void {
    if (!this.#hasBlock) this.#follow();
    this.#hasBlock = false;
  }

  #claim(): void {
    this.#nextRun.mayBeDue = true;
    this.#work.wake();
  }

  #follow(): void {
    for (const follower of [this.#tokenWatcher, this.#findDue]) follower.wake();
  }

  #emit(): void {
    for (const worker of [this.#poster, this.#due.work]) this.#gate.wake(worker);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#listener?.stop(), this.#deliveryListener?.stop()]);
    const workers = [
      ...[this.#work, this.#findDue, this.#sealer, ...this.#followers],
      ...[...this.#keepers, ...this.#scans, this.#skipReporter, this.#poster, this.#tokenWatcher],
    ];
    await Promise.all([
      this.#delivering.stop().then(() => this.#deliverer.stop()),
      Promise.all(workers.map((worker) => worker.stop())).then(() => this.#loop.settled()),
      this.context.boss.stop({ graceful: true }),
    ]);
    this.#gate.stop();
    await this.#leader.stop();
  }
}
