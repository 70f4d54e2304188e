// The current time, updated as it passes.
import { useEffect, useState } from "react";

const now = (): number => Math.floor(Date.now() / 1000);

/** Unix seconds, updated every second. */
export function useNow(): number {
  const [seconds, setSeconds] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}
