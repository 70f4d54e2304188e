// The dashboard's own addresses (/dashboard/…): all are the one document, and going from one to another loads nothing.
import { type MouseEvent, type ReactNode, useEffect, useSyncExternalStore } from "react";

const BASE = "/dashboard";
const CHANGED = "dashboard:address";

function subscribe(onChange: () => void): () => void {
  addEventListener("popstate", onChange);
  addEventListener(CHANGED, onChange);
  return () => {
    removeEventListener("popstate", onChange);
    removeEventListener(CHANGED, onChange);
  };
}

const current = (): string => location.pathname.slice(BASE.length).replace(/\/+$/, "") + location.search;

/** Path below /dashboard in its parts, and the query. */
export function useAddress(): { parts: string[]; query: URLSearchParams } {
  const address = useSyncExternalStore(subscribe, current);
  const [path = "", query = ""] = address.split("?");
  return {
    parts: path
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent),
    query: new URLSearchParams(query),
  };
}

/** @param to below /dashboard, such as `/payments?status=SETTLED` */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", BASE + to);
  else history.pushState(null, "", BASE + to);
  dispatchEvent(new Event(CHANGED));
}

export function Link({
  to,
  current: isCurrent = false,
  className,
  children,
}: {
  to: string;
  current?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
    scrollTo(0, 0);
  };
  return (
    <a href={BASE + to} className={className} aria-current={isCurrent ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

/** The document's title, and where a screen reader goes on after a change of address. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
