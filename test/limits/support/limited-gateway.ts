// A gateway with the spec's limits, and requests that return the rate-limit headers.
import { startAnotherApi } from "#test/support/another-api.ts";
import { fetchDocumented } from "#test/support/documented.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

const NAMES = ["MINUTE", "HOUR", "RETRIEVE", "CREATE", "CONFIRM"].flatMap((name) => [
  `TEST_${name}`,
  `LIVE_${name}`,
]);
/** An empty variable counts as unset, so the defaults apply. */
export const SPEC_LIMITS = Object.fromEntries(
  [...NAMES, "ADDRESS", "SESSION", "SIGN_IN", "SIGN_IN_ACCOUNT"].map((name) => [`RATE_LIMIT_${name}`, ""]),
);

export const startLimitedApi = async (env: Record<string, string> = {}): Promise<SharedStack> =>
  startAnotherApi(await sharedStack(), { ...SPEC_LIMITS, ...env });

export type Shown = {
  status: number;
  limit: number;
  remaining: number;
  /** In Unix seconds. */
  reset: number;
  retryAfter: string | null;
  headers: Headers;
  body: { error?: { code: string; type: string; message: string; retryAfter?: number } };
};

export async function show(response: Response): Promise<Shown> {
  const number = (name: string) => Number(response.headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  return {
    status: response.status,
    limit: number("limit"),
    remaining: number("remaining"),
    reset: number("reset"),
    retryAfter: response.headers.get("retry-after"),
    headers: response.headers,
    body: (await response.json()) as Shown["body"],
  };
}

export type Asking = { key?: string; method?: string; body?: unknown; headers?: Record<string, string> };

export async function ask(baseUrl: string, path: string, asking: Asking = {}): Promise<Shown> {
  const { key, method = "GET", body, headers } = asking;
  return show(
    await fetchDocumented(
      new Request(`${baseUrl}${path}`, {
        method,
        headers: {
          ...(key === undefined ? {} : { "X-API-Key": key }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    ),
  );
}
