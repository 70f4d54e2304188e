// A gateway process that restarts whenever it exits, as under a supervisor but without increasing delays.
import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "#scripts/devnet/child.ts";
import { type Environment, type Role, roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";

const PAUSE_MS = 200;

export class SupervisedRole {
  #child: Child | undefined;
  #wanted = true;
  restarts = 0;
  readonly #supervision: Promise<void>;
  #gate = Promise.resolve();
  #isPaused = false;

  constructor(
    readonly role: Role,
    private readonly environment: Environment,
    private readonly log: string,
  ) {
    this.#supervision = this.#supervise();
  }

  kill(): void {
    this.#child?.signal("SIGKILL");
  }

  /** Stops the process until the returned function is called. */
  async pause(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    this.#isPaused = true;
    await this.#child?.stop();
    return () => {
      this.#isPaused = false;
      resolve();
    };
  }

  /** Resolves when the current process is ready. */
  async untilReady(): Promise<void> {
    for (;;) {
      const child = this.#child;
      if (child) {
        const ready = await roleProcessReady(child, this.environment).then(
          () => true,
          (error: unknown) => {
            if (child.ended() === null) throw error;
            return false;
          },
        );
        if (ready) return;
      }
      await delay(PAUSE_MS);
    }
  }

  /** Resolves when the process has restarted more often than this and is ready again. */
  async untilReturned(before: number): Promise<void> {
    while (this.restarts === before) await delay(PAUSE_MS / 4);
    await this.untilReady();
  }

  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#child?.stop();
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    for (;;) {
      const child = await startRoleProcess(this.role, this.environment, this.log);
      this.#child = child;
      if (!this.#wanted || this.#isPaused) await child.stop();
      await child.exited;
      this.#child = undefined;
      if (!this.#wanted) return;
      await delay(PAUSE_MS);
      await this.#gate;
      this.restarts++;
    }
  }
}
