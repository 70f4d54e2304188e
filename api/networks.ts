// The networks that one API serves: the gateway's own network and, if configured, the live network. The network
// is selected by the caller's key or, on routes without a key, by the payment intent
// (docs/decisions/0005-networks-and-modes.md).
import { forbidden } from "#core/errors.ts";
import { type IntentId, isIntentId } from "#core/ids.ts";
import type { Mode } from "#core/model/mode.ts";

const NONE: Record<Mode, string> = {
  live: "No live network is configured on this gateway. Use a test key (sk_test_…).",
  test: "This gateway only has a live network. Use a live key (sk_live_…).",
};

/** The parts of a network's services that are used here. */
type Network = {
  config: { mode: Mode };
  reader: { find(id: IntentId): Promise<unknown> };
};

export class Networks<Served extends Network> {
  readonly #served: Served[] = [];

  add(services: Served): void {
    this.#served.push(services);
  }

  /** Returns the network of a mode, or undefined if the gateway has no such network. */
  find(mode: Mode): Served | undefined {
    return this.#served.find(({ config }) => config.mode === mode);
  }

  /** @throws ServiceError 403 if the gateway has no network of this mode */
  of(mode: Mode): Served {
    const found = this.find(mode);
    if (!found) throw forbidden(NONE[mode]);
    return found;
  }

  /** Returns the other network if it has this payment intent. */
  async elsewhere(services: Served, intentId: string): Promise<Served | undefined> {
    if (!isIntentId(intentId)) return undefined;
    for (const other of this.#served) {
      if (other !== services && (await other.reader.find(intentId))) return other;
    }
    return undefined;
  }

  /** Returns the network that has this payment intent, or the given network if none has it. */
  async holding(services: Served, intentId: string | null | undefined): Promise<Served> {
    // With a single network there is nothing to look up.
    if (this.#served.length < 2 || intentId === null || intentId === undefined) return services;
    return (await this.elsewhere(services, intentId)) ?? services;
  }
}
