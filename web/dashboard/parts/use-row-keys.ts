// Keyboard navigation of a list: j and k focus the next and previous row's link, Enter opens the link, and / focuses
// the search field.
import { useEffect } from "react";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");

/** Focuses the link `step` rows away from the focused one, or the first row's link if none is focused. */
function moveBy(step: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".table tbody a:first-of-type")];
  const rows = links.map((link) => link.closest("tr"));
  const at = rows.indexOf(document.activeElement?.closest("tr") ?? null);
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1);
  links[next]?.focus();
}

export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector("dialog[open]")) return;
      if (key === "j") moveBy(1);
      else if (key === "k") moveBy(-1);
      else if (key === "/") document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
