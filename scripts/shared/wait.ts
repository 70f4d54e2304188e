// Waiting on a fact, with an end to the patience.

/** How often a fact is asked for that cannot announce itself. */
const ASK_EVERY_MS = 100;

/** What was waited for did not come. */
export class WaitTimeout extends Error {}

export interface WaitOptions {
  /** What is waited for, as it shall stand in the error. */
  what: string;
  timeoutMs: number;
  /** Ends the wait early by throwing, e.g. when the process that should answer has exited. */
  check?: () => void;
}

/** Asks until the answer is neither null nor false, and returns it. */
export async function until<T>(
  ask: () => T | Promise<T>,
  { what, timeoutMs, check }: WaitOptions,
): Promise<Exclude<T, null | false>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    check?.();
    const answer = await ask();
    if (answer !== null && answer !== false) return answer as Exclude<T, null | false>;
    if (Date.now() > deadline) throw new WaitTimeout(`${what}: not within ${timeoutMs / 1000} s.`);
    await Bun.sleep(ASK_EVERY_MS);
  }
}

/** Whether a GET of this address answers with a success. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    // Refused, reset or too slow: not there yet, which is the answer.
    return false;
  }
}
