// Focus management: when the focused control is removed from the DOM, its replacement receives focus. Otherwise, the
// browser moves focus to the body, and keyboard and screen reader users start again at the top.
import { type RefObject, useEffect } from "react";

let last: Element | null = null;

if (typeof document !== "undefined") {
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  // A click on the empty page background clears focus deliberately, so no element takes it.
  document.addEventListener("pointerdown", ({ target }) => {
    if (target === document.body || target === document.documentElement) last = null;
  });
}

const isLost = (): boolean => {
  const active = document.activeElement;
  return last !== null && !last.isConnected && (active === null || active === document.body);
};

/** Focuses the element on mount, and whenever `subject` changes, if focus has been lost. */
export function useTakeFocus(element: RefObject<HTMLElement | null>, subject?: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run again when the subject changes
  useEffect(() => {
    if (isLost()) element.current?.focus();
  }, [subject]);
}
