// Configurable rate limits. The spec's values ("Limits") are the defaults.
import { type Static, Type } from "@sinclair/typebox";

const points = (fallback: number) => Type.Integer({ minimum: 1, maximum: 2_000_000_000, default: fallback });

export const RateLimitVariables = Type.Object({
  RATE_LIMIT_TEST_MINUTE: points(100),
  RATE_LIMIT_TEST_HOUR: points(1_000),
  RATE_LIMIT_TEST_RETRIEVE: points(100),
  RATE_LIMIT_TEST_CREATE: points(50),
  RATE_LIMIT_TEST_CONFIRM: points(30),
  RATE_LIMIT_LIVE_MINUTE: points(1_000),
  RATE_LIMIT_LIVE_HOUR: points(10_000),
  RATE_LIMIT_LIVE_RETRIEVE: points(1_000),
  RATE_LIMIT_LIVE_CREATE: points(500),
  RATE_LIMIT_LIVE_CONFIRM: points(300),
  /** Limit per minute and client address, for public routes and for requests without a valid key. */
  RATE_LIMIT_ADDRESS: points(100),
  /** Limit per minute and dashboard user. There is no hourly limit, because the dashboard polls while it is open. */
  RATE_LIMIT_SESSION: points(600),
  /** Dashboard sign-in attempts per minute and client address. */
  RATE_LIMIT_SIGN_IN: points(10),
  /** Dashboard sign-in attempts per minute and account, from all addresses. */
  RATE_LIMIT_SIGN_IN_ACCOUNT: points(30),
  /** IP ranges (CIDR, separated by commas) whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: Type.String({ default: "" }),
});

/** Limits per key, per minute unless stated otherwise. */
export type KeyLimits = { minute: number; hour: number; retrieve: number; create: number; confirm: number };

export const readRateLimits = (env: Static<typeof RateLimitVariables>) => ({
  test: {
    minute: env.RATE_LIMIT_TEST_MINUTE,
    hour: env.RATE_LIMIT_TEST_HOUR,
    retrieve: env.RATE_LIMIT_TEST_RETRIEVE,
    create: env.RATE_LIMIT_TEST_CREATE,
    confirm: env.RATE_LIMIT_TEST_CONFIRM,
  } satisfies KeyLimits,
  live: {
    minute: env.RATE_LIMIT_LIVE_MINUTE,
    hour: env.RATE_LIMIT_LIVE_HOUR,
    retrieve: env.RATE_LIMIT_LIVE_RETRIEVE,
    create: env.RATE_LIMIT_LIVE_CREATE,
    confirm: env.RATE_LIMIT_LIVE_CONFIRM,
  } satisfies KeyLimits,
  address: env.RATE_LIMIT_ADDRESS,
  session: env.RATE_LIMIT_SESSION,
  signInAccount: env.RATE_LIMIT_SIGN_IN_ACCOUNT,
});
