// Calls the dashboard's own routes (/dashboard/…) for user accounts and teams. All other calls are /v1 operations.
import { Refusal, Unreachable, unreachable } from "../../ui/api-errors.ts";

type ErrorBody = { error?: { code: string; message: string; param?: string; retryAfter?: number } };

/** @throws Refusal, Unreachable */
export async function ask<T>(method: string, path: string, body?: object, mode?: string): Promise<T> {
  const response = await fetch(`/dashboard${path}`, {
    method,
    cache: "no-store",
    headers: {
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(mode ? { "X-Dashboard-Mode": mode } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch((cause) => {
    throw new Unreachable("The gateway cannot be reached.", { cause });
  });
  if (response.ok) return (await response.json()) as T;
  const { error } = (await response.json().catch(() => ({}))) as ErrorBody;
  if (!error || response.status >= 500) throw unreachable(response);
  throw new Refusal(response.status, error.code, error.message, error.param, (error.retryAfter ?? 0) * 1_000);
}
