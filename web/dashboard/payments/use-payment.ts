// A payment and its log. While it can change the intent is polled, and the rest of the page is read again when that or
// the log has changed: most polls are one small request.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Schemas } from "#sdk/index.ts";
import type { List } from "../parts/list.tsx";
import { useApi, useSigned } from "../session.tsx";

const INTENT_MS = 5_000;
/** It holds what the intent does not show, such as a milestone that another user completes. Out of step with the intent. */
const LOG_MS = 25_000;

const isOver = ({ status }: Schemas["PaymentIntent"]): boolean => status === "FINAL" || status === "CANCELED";

type Read = { data: object | undefined };

/** Reads the active queries again when one of these has another content than before. */
function useRefresh(...sources: Read[]): void {
  const queries = useQueryClient();
  const { mode } = useSigned();
  const contents = sources.map(({ data }) => data);
  const seen = useRef(contents);
  useEffect(() => {
    const changed = contents.filter((data, index) => seen.current[index] && data !== seen.current[index]);
    seen.current = contents;
    if (changed.length === 0) return;
    const others = ({ state }: { state: { data: unknown } }) => !changed.includes(state.data as object);
    void queries.invalidateQueries({ queryKey: [mode], predicate: others });
  });
}

export function usePayment(id: string) {
  const encoded = encodeURIComponent(id);
  const path = `/payment-intents/${encoded}`;
  const intent = useApi<Schemas["PaymentIntent"]>(path, { everyMs: INTENT_MS, until: isOver });
  const logPath = intent.data && `/audit-logs?paymentIntentId=${encoded}&limit=100`;
  const ended = intent.data !== undefined && isOver(intent.data);
  const log = useApi<List<Schemas["AuditLog"]>>(logPath, ended ? {} : { everyMs: LOG_MS });
  useRefresh(intent, log);
  return { path, intent, log };
}
