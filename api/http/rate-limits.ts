// How many requests a caller may make: several windows at once, and the one with the least left is shown (spec,
// "Limits"). A request that is refused uses up none of them.
import { RateLimiterRes } from "rate-limiter-flexible";
import type { Caller } from "#core/api-keys.ts";
import type { Config } from "#core/config.ts";
import { rateLimitExceeded, type ServiceError } from "#core/errors.ts";
import type { KeyLimits } from "#core/rate-limit-config.ts";
import type { Counter, Counters } from "./rate-limits-counters.ts";

/** Operations with a limit of their own. */
export type LimitedEndpoint = "retrieve" | "create" | "confirm";

/** What a window says after a request. */
export type Verdict = {
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  msLeft: number;
  refused: boolean;
};

const SECONDS = { minute: 60, hour: 3_600, retrieve: 60, create: 60, confirm: 60 };

class Window {
  constructor(
    readonly name: string,
    readonly limit: number,
    readonly counter: Counter,
  ) {}

  async consume(key: string): Promise<Verdict> {
    try {
      return this.verdict(await this.counter.consume(key));
    } catch (state) {
      // Past the limit: the library throws the state.
      if (state instanceof RateLimiterRes) return this.refusal(state);
      throw state;
    }
  }

  verdict({ consumedPoints, msBeforeNext }: RateLimiterRes): Verdict {
    const remaining = Math.min(Math.max(this.limit - consumedPoints, 0), this.limit);
    return { limit: this.limit, remaining, msLeft: msBeforeNext, refused: false };
  }

  refusal({ msBeforeNext }: RateLimiterRes): Verdict {
    return { limit: this.limit, remaining: 0, msLeft: msBeforeNext, refused: true };
  }
}

const isTighter = (one: Verdict, other: Verdict): boolean =>
  one.remaining === other.remaining ? one.msLeft > other.msLeft : one.remaining < other.remaining;

/** Counts a request in windows that lie in one another, the narrowest first, so that no refusal is another's doing. */
async function take(windows: readonly Window[], key: string, onRefused: (window: string) => void) {
  let shown: Verdict | undefined;
  for (const [index, window] of windows.entries()) {
    const verdict = await window.consume(key);
    if (verdict.refused) {
      onRefused(window.name);
      await Promise.all(windows.slice(0, index).map(({ counter }) => counter.reward(key)));
      return longestRefusal(verdict, windows.slice(index + 1), key);
    }
    if (!shown || isTighter(verdict, shown)) shown = verdict;
  }
  if (!shown) throw new Error("There is no window to count in.");
  return shown;
}

/** A caller who waits as long as he is told shall not be refused by a wider window then. */
async function longestRefusal(refusal: Verdict, wider: readonly Window[], key: string): Promise<Verdict> {
  let longest = refusal;
  for (const window of wider) {
    const state = await window.counter.get(key);
    if (!state || state.consumedPoints < window.limit || state.msBeforeNext <= longest.msLeft) continue;
    longest = window.refusal(state);
  }
  return longest;
}

export class RateLimits {
  readonly #keys: Record<Caller["mode"], (endpoint: LimitedEndpoint | undefined) => readonly Window[]>;
  readonly #address: Window;
  readonly #session: Window;

  /** @param onRefused told the name of the window that refused a request */
  constructor(
    config: Config["rateLimits"],
    private readonly counters: Counters,
    private readonly onRefused: (window: string) => void = () => undefined,
  ) {
    const windowsOf = (mode: Caller["mode"], limits: KeyLimits) => {
      const window = (name: keyof KeyLimits) => {
        const full = `${mode}_${name}`;
        return new Window(full, limits[name], counters.counter(full, limits[name], SECONDS[name]));
      };
      const general = [window("minute"), window("hour")];
      const own = {
        retrieve: [window("retrieve"), ...general],
        create: [window("create"), ...general],
        confirm: [window("confirm"), ...general],
      };
      return (endpoint: LimitedEndpoint | undefined) => (endpoint ? own[endpoint] : general);
    };
    this.#keys = { test: windowsOf("test", config.test), live: windowsOf("live", config.live) };
    const ofMinute = (name: "address" | "session") =>
      new Window(name, config[name], counters.counter(name, config[name], 60));
    this.#address = ofMinute("address");
    this.#session = ofMinute("session");
  }

  /** Counts a request of a key, or of a user of the dashboard: neither uses up what the other has. */
  takeForCaller({ keyId, mode, isUser }: Caller, endpoint?: LimitedEndpoint): Promise<Verdict> {
    return take(isUser ? [this.#session] : this.#keys[mode](endpoint), keyId, this.onRefused);
  }

  /** Counts a request that no key answers for. */
  takeForAddress(address: string): Promise<Verdict> {
    return take([this.#address], address, this.onRefused);
  }

  /** What is left for an address, without counting. */
  async ofAddress(address: string): Promise<Verdict> {
    const state = await this.#address.counter.get(address);
    return this.#address.verdict(
      state && state.msBeforeNext > 0 ? state : new RateLimiterRes(this.#address.limit, 60_000, 0),
    );
  }

  async stop(): Promise<void> {
    await this.counters.stop();
  }
}

/** Writes the headers of an answer; X-RateLimit-Reset is the first whole second in which the window is over. */
export function showVerdict(headers: Record<string, unknown>, { limit, remaining, msLeft }: Verdict): void {
  headers["x-ratelimit-limit"] = String(limit);
  headers["x-ratelimit-remaining"] = String(remaining);
  headers["x-ratelimit-reset"] = String(Math.ceil((Date.now() + msLeft) / 1000));
}

export function refusalOf({ limit, msLeft }: Verdict): ServiceError {
  const seconds = Math.max(1, Math.ceil(msLeft / 1000));
  return rateLimitExceeded(
    `Too many requests: the limit of ${limit} is reached. Try again in ${seconds} s.`,
    seconds,
  );
}
