// Waits that a signal ends.

/** @throws the signal's reason, at once when it aborts */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}

export type Deadline = {
  /** Aborts at the deadline, and with the caller's signal. */
  signal: AbortSignal;
  /** Takes the deadline away; the caller's signal still counts. */
  clear(): void;
  /** Takes both away. */
  end(): void;
};

/** @param reason made when the time is over: the signal's reason then */
export function createDeadline(ms: number, signal: AbortSignal | undefined, reason: () => Error): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), ms);
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    clear: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
