// Keeps filters and list position in the URL's query string, so that a page can be bookmarked, shared and reached with
// the Back button. The API validates the values, and the page shows its errors.

const CURSORS = ["starting_after", "ending_before"] as const;
type CursorName = (typeof CURSORS)[number];

/** A page's cursor: `starting_after` returns the rows older than a row, `ending_before` the newer ones. */
export type PageCursor = { [name in CursorName]?: string };

/** Returns a route's `validateSearch`, which keeps non-empty strings with these names and the cursors, and drops the rest. */
export const createSearchValidator =
  <Name extends string = never>(...names: Name[]) =>
  (search: Record<string, unknown>): { [name in Name | CursorName]?: string } => {
    const known = [...names, ...CURSORS].flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
    });
    return Object.fromEntries(known) as { [name in Name | CursorName]?: string };
  };

/** Returns the filters without the cursors: the list's first page. */
export function omitCursors<Search extends PageCursor>(search: Search): Omit<Search, CursorName> {
  const { starting_after: _after, ending_before: _before, ...filters } = search;
  return filters;
}

/** Whether the URL has filters. The message for an empty list depends on this. */
export const hasFilters = (search: PageCursor): boolean => Object.keys(omitCursors(search)).length > 0;

/** @returns the query string including its question mark, or an empty string */
export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
