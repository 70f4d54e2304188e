// Loads the home page's data from the dashboard's own operation (api/dashboard/retrieve-home.ts).
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Refusal, Unreachable, unreachable } from "../../ui/api-errors.ts";
import { MODE_HEADER, type Mode, SESSION, useSigned } from "../session/session.tsx";

type Payment = { id: string; amount: string; currency: string; description: string | null };

/** Amounts are decimal strings, and `due` is in Unix seconds. */
export type Home = {
  balance: { currency: string; inEscrow: string; released: string; inTransit: string; paid: string }[];
  attention: {
    disputes: (Payment & { due: number })[];
    failures: (Payment & { failure: string | null })[];
    reclaims: (Payment & { due: number })[];
    endpoints: { id: string; url: string; disabled: boolean }[];
  };
};

async function loadHome(mode: Mode): Promise<Home> {
  const response = await fetch("/dashboard/home", {
    headers: { [MODE_HEADER]: mode },
    cache: "no-store",
  }).catch((cause) => {
    throw new Unreachable("The gateway cannot be reached.", { cause });
  });
  if (response.ok) return (await response.json()) as Home;
  if (response.status >= 500) throw unreachable(response);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  const retryAfterMs = Number(response.headers.get("retry-after")) * 1_000 || 0;
  throw new Refusal(response.status, error.code, error.message, undefined, retryAfterMs);
}

export function useHome() {
  const { mode } = useSigned();
  const queries = useQueryClient();
  return useQuery({
    queryKey: [mode, "home"],
    queryFn: async () => {
      try {
        return await loadHome(mode);
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) queries.setQueryData(SESSION, null);
        throw error;
      }
    },
  });
}
