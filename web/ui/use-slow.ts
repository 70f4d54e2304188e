// Reports whether a pending operation takes longer than a user expects.
import { useEffect, useState } from "react";

/** @param waitsFor the pending operation; undefined if there is none. A new value restarts the timer. */
export function useSlow(waitsFor: string | undefined, afterMs: number): boolean {
  const [slow, setSlow] = useState<string>();
  useEffect(() => {
    setSlow(undefined);
    if (waitsFor === undefined) return;
    const timer = setTimeout(() => setSlow(waitsFor), afterMs);
    return () => clearTimeout(timer);
  }, [waitsFor, afterMs]);
  return waitsFor !== undefined && slow === waitsFor;
}
