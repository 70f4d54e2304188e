// Focus management: when the focused control leaves the page, its replacement receives the focus. Otherwise, the
// browser moves the focus to the body, and keyboard and screen reader users start again at the top.
import { type RefObject, useEffect } from "react";

let last: Element | null = null;

if (typeof document !== "undefined") {
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  // Does not restore focus that the user has moved deliberately.
  document.addEventListener("pointerdown", ({ target }) => {
    if (target === document.body || target === document.documentElement) last = null;
  });
}

const isLost = (): boolean => {
  const active = document.activeElement;
  return last !== null && !last.isConnected && (active === null || active === document.body);
};

/** Focuses the element if the focus was lost when it appeared, or when `subject` changed. */
export function useTakeFocus(element: RefObject<HTMLElement | null>, subject?: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the subject says when to check again
  useEffect(() => {
    if (isLost()) element.current?.focus();
  }, [subject]);
}
