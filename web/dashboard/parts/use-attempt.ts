// Makes the request of a form or a button, and keeps the state that is shown: the error, and whether it is in progress.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

/**
 * @param refetches whether the page's data is refetched afterwards. This includes failed requests, because they often
 * fail due to a change that the page does not show yet
 */
export function useAttempt({ refetches = true } = {}) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (problem) {
      setError(problem as Error);
    }
    if (refetches) await queries.invalidateQueries();
    setBusy(false);
  };
  return { error, busy, attempt };
}
