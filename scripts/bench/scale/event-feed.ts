// Waits for payments' events by reading the database instead of the API, so that waiting does not load the gateway. One
// statement reads the events of all payments.
import type { Client } from "pg";
import { WaitTimeout } from "#scripts/shared/wait.ts";

const POLL_MS = 200;

type Waiting = { id: string; type: string; done: PromiseWithResolvers<void>; deadline: number };

export class EventFeed {
  readonly #followed = new Set<string>();
  readonly #seen = new Set<string>();
  #waiting: Waiting[] = [];
  #polling = false;

  constructor(
    private readonly client: Client,
    private readonly timeoutMs: number,
  ) {}

  follow(id: string): void {
    this.#followed.add(id);
  }

  until(id: string, type: string): Promise<void> {
    if (this.#seen.has(`${id} ${type}`)) return Promise.resolve();
    const waiting = { id, type, done: Promise.withResolvers<void>(), deadline: Date.now() + this.timeoutMs };
    this.#waiting.push(waiting);
    if (!this.#polling) void this.#poll();
    return waiting.done.promise;
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    while (this.#waiting.length > 0) {
      try {
        await this.#read();
      } catch (error) {
        for (const { done } of this.#waiting) done.reject(error);
        this.#waiting = [];
        break;
      }
      await Bun.sleep(POLL_MS);
    }
    this.#polling = false;
  }

  async #read(): Promise<void> {
    const ids = [...new Set(this.#waiting.map(({ id }) => id))];
    const { rows } = await this.client.query<{ intent_id: string; type: string }>({
      name: "events",
      text: `select 'intent_' || encode(intent_id, 'hex') as intent_id, type from gateway.event
        where intent_id in (select decode(substr(id, 8), 'hex') from unnest($1::text[]) id)`,
      values: [ids],
    });
    for (const { intent_id, type } of rows) this.#seen.add(`${intent_id} ${type}`);
    this.#waiting = this.#waiting.filter(({ id, type, done, deadline }) => {
      if (this.#seen.has(`${id} ${type}`)) done.resolve();
      else if (Date.now() > deadline)
        done.reject(
          new WaitTimeout(`${id}: timed out after ${this.timeoutMs / 1_000} s waiting for ${type}.`),
        );
      else return true;
      return false;
    });
  }
}
