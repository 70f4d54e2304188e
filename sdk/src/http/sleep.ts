// Delays and deadlines that an abort signal can end early.

/** @throws the signal's reason as soon as the signal aborts */
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
  /** Aborts at the deadline, or when the caller's signal aborts. */
  signal: AbortSignal;
  /** Removes the deadline; the caller's signal still applies. */
  clear(): void;
  /** Removes the deadline and the listener on the caller's signal. */
  end(): void;
};

/** @param reason creates the abort reason when the deadline passes */
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
