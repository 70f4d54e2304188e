// How many requests a caller may make: several windows at once, and the one with the least left is shown (spec,
// "Limits"). A request that is refused uses up none of them.
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Config } from "#core/config/config.ts";
import type { KeyLimits } from "#core/config/rate-limit-config.ts";
import { rateLimitExceeded, type ServiceError } from "#core/errors.ts";
import type { RateLimitCounters, WindowState } from "./rate-limit-counters.ts";

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

/** A limit: so many requests in a window, which begins with the first request after the last window. */
type Limit = { name: string; limit: number; durationMs: number };

const keyOf = ({ name }: Limit, caller: string): string => `${name}:${caller}`;

const MINUTE = 60_000;
const DURATIONS = { minute: MINUTE, hour: 60 * MINUTE, retrieve: MINUTE, create: MINUTE, confirm: MINUTE };

const verdictOn = (
  { limit, durationMs }: Limit,
  state: WindowState | undefined,
  refused = false,
): Verdict => ({
  limit,
  remaining: Math.max(limit - (state?.count ?? 0), 0),
  msLeft: state ? state.endsAt - Date.now() : durationMs,
  refused,
});

const isTighter = (one: Verdict, other: Verdict): boolean =>
  one.remaining === other.remaining ? one.msLeft > other.msLeft : one.remaining < other.remaining;

export class RateLimits {
  readonly #keys: Record<Caller["mode"], (endpoint: LimitedEndpoint | undefined) => readonly Limit[]>;
  readonly #address: Limit;
  readonly #session: Limit;
  readonly #signInAccount: Limit;

  /** @param onRefused receives the name of the window that refused a request */
  constructor(
    config: Config["rateLimits"],
    private readonly counters: RateLimitCounters,
    private readonly onRefused: (window: string) => void = () => undefined,
  ) {
    const chooseLimits = (mode: Caller["mode"], limits: KeyLimits) => {
      const of = (name: keyof KeyLimits): Limit => ({
        name: `${mode}_${name}`,
        limit: limits[name],
        durationMs: DURATIONS[name],
      });
      const general = [of("minute"), of("hour")];
      const own = {
        retrieve: [of("retrieve"), ...general],
        create: [of("create"), ...general],
        confirm: [of("confirm"), ...general],
      };
      return (endpoint: LimitedEndpoint | undefined) => (endpoint ? own[endpoint] : general);
    };
    this.#keys = { test: chooseLimits("test", config.test), live: chooseLimits("live", config.live) };
    this.#address = { name: "address", limit: config.address, durationMs: MINUTE };
    this.#session = { name: "session", limit: config.session, durationMs: MINUTE };
    this.#signInAccount = { name: "sign_in_account", limit: config.signInAccount, durationMs: MINUTE };
  }

  /** Counts a request of a key, or of a user of the dashboard: neither uses up what the other has. */
  takeForCaller({ keyId, mode, isUser }: Caller, endpoint?: LimitedEndpoint): Promise<Verdict> {
    return this.#take(isUser ? [this.#session] : this.#keys[mode](endpoint), keyId);
  }

  /** Counts a request that no key answers for. */
  takeForAddress(address: string): Promise<Verdict> {
    return this.#take([this.#address], address);
  }

  /** Counts an attempt to sign in. @param account a name for it that shows no address of a person */
  takeForSignIn(account: string): Promise<Verdict> {
    return this.#take([this.#signInAccount], account);
  }

  /** What is left for an address, without counting. */
  async ofAddress(address: string): Promise<Verdict> {
    const [window] = await this.#windows([this.#address], address);
    return verdictOn(this.#address, window && this.counters.find(window.key));
  }

  /** How many requests an address has left, as far as this process knows. */
  leftForAddress(address: string): number {
    const state = this.counters.find(keyOf(this.#address, address));
    return this.#address.limit - (state?.count ?? 0);
  }

  async stop(): Promise<void> {
    await this.counters.stop();
  }

  /** Counts a request in all windows, or in none if one refuses it. */
  async #take(limits: readonly Limit[], caller: string): Promise<Verdict> {
    const windows = await this.#windows(limits, caller);
    const refusal = this.#refusal(windows);
    if (refusal) return refusal;
    return windows
      .map(({ limit, key }) => verdictOn(limit, this.counters.count(key, limit.durationMs)))
      .reduce((shown, verdict) => (isTighter(verdict, shown) ? verdict : shown));
  }

  /** The keys under which windows are counted, once the counters know their totals. */
  async #windows(limits: readonly Limit[], caller: string): Promise<LimitedWindow[]> {
    const windows = limits.map((limit) => ({ limit, key: keyOf(limit, caller) }));
    // Nothing is awaited between the look at the counts and the counting.
    await this.counters.prepare(windows.map(({ key }) => key));
    return windows;
  }

  /** The refusal that lasts longest: a caller who waits until it ends is not refused by a wider window then. */
  #refusal(windows: readonly LimitedWindow[]): Verdict | undefined {
    let longest: Verdict | undefined;
    for (const { limit, key } of windows) {
      const state = this.counters.find(key);
      if (!state || state.count < limit.limit) continue;
      if (!longest) this.onRefused(limit.name);
      const verdict = verdictOn(limit, state, true);
      if (!longest || verdict.msLeft > longest.msLeft) longest = verdict;
    }
    return longest;
  }
}

type LimitedWindow = { limit: Limit; key: string };

/** Writes the headers of an answer; X-RateLimit-Reset is the first whole second in which the window is over. */
export function showVerdict(headers: Record<string, unknown>, { limit, remaining, msLeft }: Verdict): void {
  headers["x-ratelimit-limit"] = String(limit);
  headers["x-ratelimit-remaining"] = String(remaining);
  headers["x-ratelimit-reset"] = String(Math.ceil((Date.now() + msLeft) / 1000));
}

export function toRefusal({ limit, msLeft }: Verdict): ServiceError {
  const seconds = Math.max(1, Math.ceil(msLeft / 1000));
  return rateLimitExceeded(
    `Too many requests: the limit of ${limit} is reached. Try again in ${seconds} s.`,
    seconds,
  );
}
