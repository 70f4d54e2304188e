// The signed-in user, and whether they view test or live data. Every request sends that mode in a header that
// no other site can set.
import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from "react";
import { type Permission, ROLE_PERMISSIONS } from "#core/api-keys/permissions.ts";
import { Gateway } from "#sdk/index.ts";
import { storage } from "../../storage.ts";
import { Refusal, Unreachable, unreachable } from "../../ui/api-errors.ts";
import { ownOrigin, toProblem } from "../../ui/sdk-adapter.ts";
import { ask as askDashboard } from "./ask.ts";

export type Mode = "test" | "live";
export const ROLES = ["admin", "operator", "read_only"] as const;
export type Role = (typeof ROLES)[number];
/** The user's merchant has a separate name and account in each mode. */
type Network = {
  name: string;
  explorerUrl: string | null;
  currencies: { symbol: string; decimals: number }[];
  merchantName: string;
  account: string | null;
};

export type Session = {
  user: { id: string; name: string; email: string; role: Role; twoFactorEnabled: boolean };
  networks: Record<Mode, Network | null>;
};

/** An operation of the API. */
export type Call<T> = (gateway: Gateway) => PromiseLike<T>;

type Signed = {
  session: Session;
  mode: Mode;
  choose(mode: Mode): void;
  /** Calls the API as the signed-in user. @throws Refusal, Unreachable */
  api<T>(call: Call<T>): Promise<T>;
  /** Calls one of the dashboard's own routes. @throws Refusal, Unreachable */
  ask<T>(method: string, path: string, body?: object): Promise<T>;
};

const Context = createContext<Signed | undefined>(undefined);
const KEPT_AS = "dashboard.mode";
export const MODE_HEADER = "X-Dashboard-Mode";
export const SESSION = ["session"];
/** Matches every query except the session: all data that the signed-in user sees. */
export const BESIDE_SESSION = {
  predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== SESSION[0],
};

export function useSigned(): Signed {
  const signed = use(Context);
  if (!signed) throw new Error("No user is signed in.");
  return signed;
}

async function loadSession(): Promise<Session | null> {
  const response = await fetch("/dashboard/session", { cache: "no-store" }).catch((cause) => {
    throw new Unreachable("The gateway cannot be reached.", { cause });
  });
  if (response.ok) return (await response.json()) as Session;
  if (response.status === 401) return null;
  throw unreachable(response);
}

export const useSession = () =>
  useQuery({ queryKey: SESSION, queryFn: loadSession, staleTime: Number.POSITIVE_INFINITY });

const POST = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

export type SignInProblem = "wrong" | "code" | "often" | "away";

const classifyProblem = (error: unknown, wrong: SignInProblem): SignInProblem => {
  if (!(error instanceof Refusal)) return "away";
  return error.tooOften ? "often" : wrong;
};

/** @returns undefined on success, `twoFactor` if a code is required next; otherwise the error */
export async function signIn(
  email: string,
  password: string,
): Promise<SignInProblem | "twoFactor" | undefined> {
  try {
    const { twoFactor } = await askDashboard<{ twoFactor?: true }>("POST", "/auth/sign-in/email", {
      email,
      password,
    });
    return twoFactor ? "twoFactor" : undefined;
  } catch (error) {
    return classifyProblem(error, "wrong");
  }
}

/** @param code from the app, or a backup code. @returns undefined on success; otherwise the error */
export async function giveCode(code: string): Promise<SignInProblem | undefined> {
  const kind = /^\d{6}$/.test(code) ? "totp" : "backup-code";
  try {
    await askDashboard("POST", `/auth/two-factor/verify-${kind}`, { code });
    return undefined;
  } catch (error) {
    return classifyProblem(error, error instanceof Refusal && error.status === 401 ? "wrong" : "code");
  }
}

export const signOut = () => fetch("/dashboard/auth/sign-out", POST({}));

const initialMode = ({ networks }: Session): Mode => {
  const kept = storage.getItem(KEPT_AS);
  if ((kept === "live" || kept === "test") && networks[kept]) return kept;
  return networks.test ? "test" : "live";
};

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient();
  const [mode, setMode] = useState(() => initialMode(session));
  const gateway = useMemo(() => new Gateway(ownOrigin({ [MODE_HEADER]: mode })), [mode]);
  const signed = useCallback(
    async <T,>(answer: PromiseLike<T>): Promise<T> => {
      try {
        return await answer;
      } catch (error) {
        const problem = toProblem(error);
        if (problem instanceof Refusal && problem.status === 401) queries.setQueryData(SESSION, null);
        throw problem;
      }
    },
    [queries],
  );
  const api = useCallback(<T,>(call: Call<T>): Promise<T> => signed(call(gateway)), [gateway, signed]);
  const ask = useCallback(
    <T,>(method: string, path: string, body?: object): Promise<T> =>
      signed(askDashboard<T>(method, path, body, mode)),
    [mode, signed],
  );
  const value = useMemo<Signed>(
    () => ({
      session,
      mode,
      api,
      ask,
      choose(chosen) {
        storage.setItem(KEPT_AS, chosen);
        setMode(chosen);
      },
    }),
    [session, mode, api, ask],
  );
  return <Context value={value}>{children}</Context>;
}

/** Resource kinds: the prefixes of the audit log's actions. */
export type Kind =
  | "api_key"
  | "conditional_payment"
  | "delivery_proof"
  | "dispute"
  | "merchant"
  | "milestone"
  | "payment_intent"
  | "payout"
  | "webhook"
  | "webhook_delivery"
  | "webhook_endpoint";

/** Checks the type of kind names, because a list of dependencies can also contain ids. */
export const kinds = (...names: Kind[]): readonly string[] => names;

/**
 * Loads the response of an operation, and refetches it when one of its dependencies changes (live/live.tsx).
 * @param name the query's name: one operation with its parameters
 * @param call undefined while its parameters are unknown
 * @param of dependencies: kinds and ids; every resource by default
 */
export function useApi<T>(name: string, call: Call<T> | undefined, of?: readonly string[]) {
  const { api, mode } = useSigned();
  return useQuery({
    queryKey: [mode, name],
    queryFn: call ? () => api(call) : skipToken,
    ...(of ? { meta: { of } } : {}),
  });
}

/** Loads the response of one of the dashboard's own routes. */
export function useAsked<T>(path: string) {
  const { ask, mode } = useSigned();
  return useQuery({ queryKey: [mode, path], queryFn: () => ask<T>("GET", path) });
}

/**
 * Returns the permissions of the user's role. The dashboard hides actions that the API would reject for a missing
 * permission.
 */
export const useAllowed = (): readonly Permission[] => ROLE_PERMISSIONS[useSigned().session.user.role];

export const useIsAllowed = (permission: Permission): boolean => useAllowed().includes(permission);
