// Determines whether a process can work: checks all of its dependencies in parallel, with a short timeout.
import pTimeout from "p-timeout";

/** The checks of the dependencies by name. Each check returns facts for the response, or throws. */
export type Checks = Record<string, () => Promise<Record<string, unknown>>>;

const TIMEOUT_MS = 3_000;

/**
 * @returns whether all dependencies are available, and the response. `missing` names the unavailable ones, and the log
 * contains the reasons
 */
export async function readiness(parts: Checks, onMissing: (part: string, error: unknown) => void) {
  const missing: string[] = [];
  const facts = await Promise.all(
    Object.entries(parts).map(async ([part, ask]) => {
      try {
        return [part, { ok: true, ...(await inTime(ask())) }] as const;
      } catch (error) {
        missing.push(part);
        onMissing(part, error);
        // The caller gets the reason, the response does not: our URLs are not public.
        return [part, { ok: false }] as const;
      }
    }),
  );
  const ready = missing.length === 0;
  return {
    ready,
    body: {
      status: ready ? "ready" : "not ready",
      ...(ready ? {} : { missing: missing.sort() }),
      parts: Object.fromEntries(facts),
    },
  };
}

/** @throws TimeoutError if there is no response in time */
export function inTime<T>(work: Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  return pTimeout(work, { milliseconds: timeoutMs, message: `No response within ${timeoutMs} ms.` });
}
