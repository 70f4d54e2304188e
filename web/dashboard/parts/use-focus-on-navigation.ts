// Keyboards and screen readers go on at the top of a page that was gone to; within a page (its filters, the pages of its
// list) focus stays where it is.
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
