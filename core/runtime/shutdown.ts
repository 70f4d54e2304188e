// Shuts down a role's process: in order on SIGTERM or SIGINT, and immediately on a second signal.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../log.ts";

/** The body of the 503 response of /ready after the first signal. */
export const STOPPING = { status: "stopping" } as const;

/** The period in which load balancers notice that a process is not ready, while it still serves requests. */
export class Drain {
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  async begin(ms: number): Promise<void> {
    this.#begun = true;
    await delay(ms);
  }
}

/** @param stop finishes the work in progress; the process exits when the returned promise resolves */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stopping) {
      log.warn({ signal }, "stopping immediately");
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, "stopping");
    await stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
