// What stands in an address after its question mark: filters and the place in a list, as text. A page can be kept, sent,
// and reached again with Back. Of values the API judges, and says so in its own words.

const CURSORS = ["starting_after", "ending_before"] as const;
type Cursor = (typeof CURSORS)[number];

/** Where a list goes on: after a row (older ones) or before it (newer ones). */
export type Cursors = { [name in Cursor]?: string };

/** A list's `validateSearch`: these names and its cursors; what else the address says is dropped. */
export const readSearch =
  <Name extends string = never>(...names: Name[]) =>
  (search: Record<string, unknown>): { [name in Name | Cursor]?: string } => {
    const known = [...names, ...CURSORS].flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
    });
    return Object.fromEntries(known) as { [name in Name | Cursor]?: string };
  };

/** The filters alone: a list's first page. */
export function withoutCursors<Search extends Cursors>(search: Search): Omit<Search, Cursor> {
  const { starting_after: _after, ending_before: _before, ...filters } = search;
  return filters;
}

/** Whether an address narrows its list: an empty one then says something else than there being nothing yet. */
export const hasFilters = (search: Cursors): boolean => Object.keys(withoutCursors(search)).length > 0;

/** @returns what follows an address's path, with its question mark; nothing for an empty search */
export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
