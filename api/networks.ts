// The networks that one API serves: the gateway's own and, where one is configured, the live one beside it. The caller's
// key says which; where no key is asked for, the payment intent does (design, "live mode").
import type { Mode } from "#core/db/schema/gateway.ts";
import { forbidden } from "#core/errors.ts";
import { isIntentId } from "#core/ids.ts";
import type { Services } from "./services.ts";

const NONE: Record<Mode, string> = {
  live: "No live network is configured on this gateway: use a test key (sk_test_…).",
  test: "This gateway has a live network alone: use a live key (sk_live_…).",
};

export class Networks {
  readonly #served: Services[] = [];

  add(services: Services): void {
    this.#served.push(services);
  }

  /** The network of a mode; undefined if the gateway has none. */
  find(mode: Mode): Services | undefined {
    return this.#served.find(({ config }) => config.mode === mode);
  }

  /** @throws ServiceError 403 if the gateway has no network of this mode */
  of(mode: Mode): Services {
    const found = this.find(mode);
    if (!found) throw forbidden(NONE[mode]);
    return found;
  }

  /** The network, other than the given one, that has this payment intent. */
  async elsewhere(services: Services, intentId: string): Promise<Services | undefined> {
    if (!isIntentId(intentId)) return undefined;
    for (const other of this.#served) {
      if (other !== services && (await other.reader.find(intentId))) return other;
    }
    return undefined;
  }

  /** The network that has this payment intent; the given one if none has. */
  async holding(services: Services, intentId: string | null | undefined): Promise<Services> {
    // One network has everything: nothing needs to be looked up.
    if (this.#served.length < 2 || intentId === null || intentId === undefined) return services;
    return (await this.elsewhere(services, intentId)) ?? services;
  }
}
