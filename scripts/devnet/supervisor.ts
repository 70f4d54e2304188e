// Keeps services running: a service that exits unexpectedly is restarted, with increasing delays.
import type { ProcessIdentity } from "./process-identity.ts";

export interface Running extends ProcessIdentity {
  exited: Promise<string>;
  /** Resolves when the service is ready; throws if it exited instead. */
  ready(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the service immediately. */
  force(): void;
}

export interface Service {
  name: string;
  start(): Promise<Running>;
  /** Called after an unexpected exit, once the service is running again. */
  onReturn?(): Promise<void>;
}

interface Kept {
  service: Service;
  running: Running | null;
  /** Whether the service should be running. */
  wanted: boolean;
  /** Settles when the service is no longer supervised. */
  watch: Promise<void>;
}

export interface SupervisorEvents {
  /** Shows a one-line notice to the user. */
  notice(line: string): void;
  /** Called with the running processes whenever they change. */
  changed(processes: Record<string, ProcessIdentity>): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** After a service has run this long, its restart delay is reset. */
const PROVEN_MS = 30_000;

export class Supervisor {
  readonly #kept = new Map<string, Kept>();
  readonly #events: SupervisorEvents;
  #closed = false;

  constructor(events: SupervisorEvents) {
    this.#events = events;
  }

  /** Starts a service, resolves when it is ready, and supervises it from then on. Throws if the first start fails. */
  async start(service: Service): Promise<void> {
    if (this.#closed) throw new Error(`${service.name} is not started: everything is being stopped.`);
    const kept: Kept = { service, running: null, wanted: true, watch: Promise.resolve() };
    this.#kept.set(service.name, kept);
    const launch = this.#launch(kept);
    // A concurrent stop waits for the launch; only this caller sees its failure.
    kept.watch = launch.catch(() => undefined);
    await launch;
    if (kept.wanted) kept.watch = this.#watch(kept);
  }

  /** Stops all services permanently, in this order. */
  async stopAll(order: readonly string[]): Promise<void> {
    this.#closed = true;
    for (const name of order) await this.pause(name);
  }

  /** Stops a service until `resume`; does nothing if it never ran. */
  async pause(name: string): Promise<void> {
    const kept = this.#kept.get(name);
    if (!kept) return;
    kept.wanted = false;
    await kept.running?.stop();
    await kept.watch;
    this.#settle(kept, null);
  }

  /** Restarts a paused service, retrying if necessary. */
  resume(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept || kept.wanted || this.#closed) return;
    kept.wanted = true;
    kept.watch = this.#watch(kept);
  }

  /** Kills all services immediately; `stopAll` still resolves when they have exited. */
  force(): void {
    for (const kept of this.#kept.values()) {
      kept.wanted = false;
      kept.running?.force();
    }
  }

  async #launch(kept: Kept): Promise<void> {
    const running = await kept.service.start();
    this.#settle(kept, running);
    // The service was stopped while it was starting, before its process was registered.
    if (!kept.wanted) return running.stop();
    try {
      await running.ready();
    } catch (error) {
      await running.stop();
      this.#settle(kept, null);
      throw error;
    }
  }

  async #watch(kept: Kept): Promise<void> {
    const { name } = kept.service;
    let pause = 0;
    let since = Date.now();
    while (kept.wanted) {
      if (kept.running) {
        const how = await kept.running.exited;
        if (!kept.wanted) return;
        if (Date.now() - since > PROVEN_MS) pause = 0;
        this.#events.notice(`${name} exited (${how}); restarting it.`);
        this.#settle(kept, null);
      }
      await Bun.sleep(pause);
      if (!kept.wanted) return;
      pause = Math.min(pause === 0 ? FIRST_PAUSE_MS : pause * 2, LONGEST_PAUSE_MS);
      since = Date.now();
      await this.#bringBack(kept, since);
    }
  }

  async #bringBack(kept: Kept, since: number): Promise<void> {
    const { name, onReturn } = kept.service;
    try {
      await this.#launch(kept);
      if (!kept.wanted) return;
      this.#events.notice(`${name} restarted after ${((Date.now() - since) / 1000).toFixed(1)} s.`);
      await onReturn?.();
    } catch (error) {
      if (!kept.wanted) return;
      // The first line is sufficient, because the log contains the details.
      const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
      this.#events.notice(`${name} failed to restart, retrying: ${reason}`);
    }
  }

  #settle(kept: Kept, running: Running | null): void {
    kept.running = running;
    const processes: Record<string, ProcessIdentity> = {};
    for (const [name, { running: one }] of this.#kept) {
      if (one) processes[name] = { pid: one.pid, started: one.started };
    }
    this.#events.changed(processes);
  }
}
