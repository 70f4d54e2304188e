// After a navigation, moves focus to the top of the new page for keyboard and screen reader users. Changes within a
// page (filters, pagination) do not move the focus.
import { useRouter } from "@tanstack/react-router";
import { type RefObject, useEffect } from "react";

export function useFocusOnNavigation(content: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged) content.current?.focus({ preventScroll: true });
      }),
    [router, content],
  );
}
