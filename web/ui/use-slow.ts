// Whether something that is waited for takes longer than a reader expects.
import { useEffect, useState } from "react";

/** @param waitsFor what is waited for; undefined while nothing is. Another restarts the timer */
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
