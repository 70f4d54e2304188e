import { useEffect, useState } from "react";

const now = (): number => Math.floor(Date.now() / 1000);

/** Returns the current time in Unix seconds, and rerenders the component every second. */
export function useNow(): number {
  const [seconds, setSeconds] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}
