// Whether a role can work: every part that it stands on, asked at once and not for long.

/** Each gives facts about itself for the answer, or throws. */
export type Parts = Record<string, () => Promise<Record<string, unknown>>>;

const PATIENCE_MS = 3_000;

/** @returns whether all are there, and what to answer: `missing` names the parts that are not, the log says why */
export async function readiness(parts: Parts, onMissing: (part: string, error: unknown) => void) {
  const missing: string[] = [];
  const told = await Promise.all(
    Object.entries(parts).map(async ([part, ask]) => {
      try {
        return [part, { ok: true, ...(await inTime(ask())) }] as const;
      } catch (error) {
        missing.push(part);
        onMissing(part, error);
        // Why, the log says at the level debug: an address of ours is nobody else's business.
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
      parts: Object.fromEntries(told),
    },
  };
}

export function inTime<T>(work: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No answer within ${patienceMs} ms.`)), patienceMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
