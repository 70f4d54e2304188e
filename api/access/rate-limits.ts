// Rate limits. A request counts in several windows, and the response reports the window with the fewest
// remaining requests (spec, "Limits"). A rejected request counts in no window.
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Config } from "#core/config/config.ts";
import type { KeyLimits } from "#core/config/rate-limit-config.ts";
import { rateLimitExceeded, type ServiceError } from "#core/errors.ts";
import type { RateLimitCounters, WindowState } from "./rate-limit-counters.ts";

/** Operations with their own limit. */
export type LimitedEndpoint = "retrieve" | "create" | "confirm";

/** A window's state after a request. */
export type Verdict = {
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  msLeft: number;
  refused: boolean;
};

/** A limit: a number of requests in a window, which starts with the first request after the previous window. */
type Limit = { name: string; limit: number; durationMs: number };

const buildKey = ({ name }: Limit, caller: string): string => `${name}:${caller}`;

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

  /** @param onRefused receives the name of the window that rejected a request */
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

  /** Counts a request of a key or of a dashboard user. Keys and users have separate limits. */
  takeForCaller({ keyId, mode, isUser }: Caller, endpoint?: LimitedEndpoint): Promise<Verdict> {
    return this.#take(isUser ? [this.#session] : this.#keys[mode](endpoint), keyId);
  }

  /** Counts a request without a valid key. */
  takeForAddress(address: string): Promise<Verdict> {
    return this.#take([this.#address], address);
  }

  /** Counts a sign-in attempt. @param account an identifier of the account that does not reveal its e-mail address */
  takeForSignIn(account: string): Promise<Verdict> {
    return this.#take([this.#signInAccount], account);
  }

  /** Returns the remaining limit of an address without counting a request. */
  async ofAddress(address: string): Promise<Verdict> {
    const [window] = await this.#windows([this.#address], address);
    return verdictOn(this.#address, window && this.counters.find(window.key));
  }

  /** Returns the remaining requests of an address, as known to this process. */
  leftForAddress(address: string): number {
    const state = this.counters.find(buildKey(this.#address, address));
    return this.#address.limit - (state?.count ?? 0);
  }

  async stop(): Promise<void> {
    await this.counters.stop();
  }

  /** Counts a request in all windows, or in none if any of them rejects the request. */
  async #take(limits: readonly Limit[], caller: string): Promise<Verdict> {
    const windows = await this.#windows(limits, caller);
    const refusal = this.#refusal(windows);
    if (refusal) return refusal;
    return windows
      .map(({ limit, key }) => verdictOn(limit, this.counters.count(key, limit.durationMs)))
      .reduce((shown, verdict) => (isTighter(verdict, shown) ? verdict : shown));
  }

  /** Returns the windows with their counter keys after their totals have been loaded. */
  async #windows(limits: readonly Limit[], caller: string): Promise<LimitedWindow[]> {
    const windows = limits.map((limit) => ({ limit, key: buildKey(limit, caller) }));
    // The windows are loaded here, so that nothing is awaited between reading and updating their counts.
    await this.counters.prepare(windows.map(({ key }) => key));
    return windows;
  }

  /**
   * Returns the longest rejection, so that a caller who waits until it ends is not rejected again by a longer
   * window.
   */
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

/** Writes the response headers. X-RateLimit-Reset is the first full second after the window's end. */
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
