// Waits for a condition, with a timeout.

/** Polling interval for conditions that cannot notify. */
const ASK_EVERY_MS = 100;

/** Thrown if the condition was not met in time. */
export class WaitTimeout extends Error {}

export interface WaitOptions {
  /** The name of the condition in the error message. */
  what: string;
  timeoutMs: number;
  /** Ends the wait early by throwing, e.g. if the process that should respond has exited. */
  check?: () => void;
}

/** Polls until the result is neither null nor false, and returns it. */
export async function until<T>(
  ask: () => T | Promise<T>,
  { what, timeoutMs, check }: WaitOptions,
): Promise<Exclude<T, null | false>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    check?.();
    const answer = await ask();
    if (answer !== null && answer !== false) return answer as Exclude<T, null | false>;
    if (Date.now() > deadline) throw new WaitTimeout(`${what}: timed out after ${timeoutMs / 1000} s.`);
    await Bun.sleep(ASK_EVERY_MS);
  }
}

/** Returns whether a GET request to this URL succeeds. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    // The connection was refused or reset, or it timed out: the server is not ready yet.
    return false;
  }
}
