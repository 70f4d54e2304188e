// Whether a role can work: every part that it depends on, asked at once and not for long.
import pTimeout from "p-timeout";

/** Each returns facts about itself for the answer, or throws. */
export type Parts = Record<string, () => Promise<Record<string, unknown>>>;

const TIMEOUT_MS = 3_000;

/** @returns whether all are available, and the answer: `missing` names those that are not, the log says why */
export async function readiness(parts: Parts, onMissing: (part: string, error: unknown) => void) {
  const missing: string[] = [];
  const facts = await Promise.all(
    Object.entries(parts).map(async ([part, ask]) => {
      try {
        return [part, { ok: true, ...(await inTime(ask())) }] as const;
      } catch (error) {
        missing.push(part);
        onMissing(part, error);
        // The log has the reason at the level debug: our addresses are not public.
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

/** @throws TimeoutError when there is no answer in time */
export function inTime<T>(work: Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  return pTimeout(work, { milliseconds: timeoutMs, message: `No answer within ${timeoutMs} ms.` });
}
