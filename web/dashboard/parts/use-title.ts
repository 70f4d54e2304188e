// Sets the document title, which tabs, bookmarks and screen readers show.
import { useEffect } from "react";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
