// Keeps filters and list position in the URL's query string, so that a page can be bookmarked, shared and reached with
// the Back button. The API validates the values and reports its own errors.

const CURSORS = ["starting_after", "ending_before"] as const;
type Cursor = (typeof CURSORS)[number];

/** Position in a list: after a row (older rows) or before it (newer rows). */
export type Cursors = { [name in Cursor]?: string };

/** Returns a list's `validateSearch`, which keeps these names and the cursors and drops every other parameter. */
export const readSearch =
  <Name extends string = never>(...names: Name[]) =>
  (search: Record<string, unknown>): { [name in Name | Cursor]?: string } => {
    const known = [...names, ...CURSORS].flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
    });
    return Object.fromEntries(known) as { [name in Name | Cursor]?: string };
  };

/** Returns only the filters. Without a cursor, the list starts with its first page. */
export function withoutCursors<Search extends Cursors>(search: Search): Omit<Search, Cursor> {
  const { starting_after: _after, ending_before: _before, ...filters } = search;
  return filters;
}

/** Whether the URL has filters. An empty list needs a different message if it is filtered. */
export const hasFilters = (search: Cursors): boolean => Object.keys(withoutCursors(search)).length > 0;

/** @returns the query string including its question mark, or an empty string */
export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
