// Opens one stream per page and refetches the visible queries that depend on the changed resources.
import { type Query, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { BESIDE_SESSION, MODE_HEADER, SESSION, useSession, useSigned } from "../session/session.tsx";
import { Coalesced } from "./coalesce.ts";
import { followChanges } from "./follow-changes.ts";

/** When the stream was lost, in milliseconds since the epoch; undefined while connected. */
const Lost = createContext<number | undefined>(undefined);
export const useLost = (): number | undefined => use(Lost);

/** A query that declares no dependencies depends on every resource. */
const dependsOn = (names: ReadonlySet<string>) => (query: Query) =>
  query.queryKey[0] !== SESSION[0] &&
  ((query.meta?.of as string[] | undefined)?.some((name) => names.has(name)) ?? true);

export function Live({ children }: { children: ReactNode }) {
  const { mode } = useSigned();
  const isSignedIn = Boolean(useSession().data);
  const queries = useQueryClient();
  const [lostAt, setLostAt] = useState<number>();
  useEffect(() => {
    if (!isSignedIn) return;
    const changes = new Coalesced((names) => {
      void queries.invalidateQueries({ predicate: dependsOn(names) });
    });
    const stop = followChanges({
      headers: { [MODE_HEADER]: mode },
      onChanges: (names) => changes.add(names),
      onGap: () => void queries.invalidateQueries(BESIDE_SESSION),
      onLost: (isLost) => setLostAt((before) => (isLost ? (before ?? Date.now()) : undefined)),
      onSignedOut: () => queries.setQueryData(SESSION, null),
    });
    return () => {
      stop();
      changes.stop();
    };
  }, [mode, isSignedIn, queries]);
  return <Lost value={lostAt}>{children}</Lost>;
}
