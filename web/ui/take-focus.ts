// Focus that follows the reader: when the control that had it leaves the page, what takes its place receives it. Otherwise
// the browser drops it to the body, and keyboards and screen readers start again at the top.
import { type RefObject, useEffect } from "react";

let last: Element | null = null;

if (typeof document !== "undefined") {
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  // A focus that the reader has left on purpose is not restored.
  document.addEventListener("pointerdown", ({ target }) => {
    if (target === document.body || target === document.documentElement) last = null;
  });
}

const isLost = (): boolean => {
  const active = document.activeElement;
  return last !== null && !last.isConnected && (active === null || active === document.body);
};

/** Gives the element focus if the focus was lost when it appeared, or when `subject` changed. */
export function useTakeFocus(element: RefObject<HTMLElement | null>, subject?: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the subject says when to check again
  useEffect(() => {
    if (isLost()) element.current?.focus();
  }, [subject]);
}
