// The document's title: what a tab, a bookmark and a screen reader call the page.
import { useEffect } from "react";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
