// Paginated lists in the API's order. A list is a table on wide screens, and cards on phones.
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Gateway, Page, PageQuery } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { useApi } from "../session/session.tsx";
import { Freshness } from "./freshness.tsx";
import { omitCursors, type PageCursor } from "./search-params.ts";
import { dashboard } from "./texts.ts";

/**
 * @param name the list's query name
 * @param search the filters and list position from the URL, which the API validates. The browser's Back button also
 * moves back in the list.
 * @param of the query's dependencies: resource kinds and ids
 */
export function usePages<T extends { id: string }, Asked extends PageQuery>(
  name: string,
  list: (gateway: Gateway, query: Asked) => PromiseLike<Page<T>>,
  search: PageCursor,
  of?: readonly string[],
) {
  const navigate = useNavigate();
  const asked = { ...search, limit: "20" };
  const call = (gateway: Gateway) => list(gateway, asked as unknown as Asked);
  const result = useApi(`${name}?${new URLSearchParams(asked)}`, call, of);
  const turn = (cursor: PageCursor) => () => {
    void navigate({ to: ".", search: { ...omitCursors(search), ...cursor }, resetScroll: false });
  };
  const { data: rows = [], has_more: hasMore = false } = result.data ?? {};
  const isBackward = search.ending_before !== undefined;
  const hasNewer = search.starting_after !== undefined || (isBackward && hasMore);
  const hasOlder = isBackward || hasMore;
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    ...result,
    rows,
    newer: hasNewer ? turn(first ? { ending_before: first.id } : {}) : undefined,
    older: hasOlder && last ? turn({ starting_after: last.id }) : undefined,
  };
}

export type Pages<T extends { id: string }> = ReturnType<typeof usePages<T, PageQuery>>;

type Column<T> = { name: string; show(row: T): ReactNode; number?: boolean };

export function ListTable<T extends { id: string }>({
  caption,
  columns,
  pages,
  empty,
}: {
  caption: string;
  columns: Column<T>[];
  pages: Pages<T>;
  /** Shown if the list is empty, with the next step if there is one. */
  empty: ReactNode;
}) {
  const t = useTexts(dashboard);
  const { data, rows, isPending, newer, older } = pages;
  if (isPending) return <Loading lines={6} />;
  return (
    <div className="stack">
      <Freshness query={pages} />
      {data?.data.length === 0 && <p className="card soft empty">{empty}</p>}
      {rows.length > 0 && <Table caption={caption} columns={columns} rows={rows} />}
      {(newer || older) && (
        <nav className="row pager" aria-label={t("list.pages")}>
          <button type="button" className="button" disabled={!newer} onClick={newer}>
            {t("list.newer")}
          </button>
          <button type="button" className="button" disabled={!older} onClick={older}>
            {t("list.older")}
          </button>
        </nav>
      )}
    </div>
  );
}

export function Table<T extends { id: string }>({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: Column<T>[];
  rows: T[];
}) {
  return (
    <table className="table card">
      <caption className="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, number }) => (
            <th key={name} scope="col" className={number ? "end" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {columns.map(({ name, show, number }) => (
              <td key={name} data-label={name} className={number ? "end number" : undefined}>
                <span>{show(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
