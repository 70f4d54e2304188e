// Lists page by page, in the order of the API; a table on a desk, cards on a phone.
import type { ReactNode } from "react";
import type { Gateway, Page, PageQuery } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { go, useAddress } from "../router.tsx";
import { useApi } from "../session.tsx";
import { dashboard } from "../texts.ts";
import { Freshness } from "./freshness.tsx";

const CURSORS = ["starting_after", "ending_before"] as const;
type Cursor = (typeof CURSORS)[number];

/**
 * @param name of the query: the list's own
 * @param query of the list, without its cursor: the page's address, of which the API judges. The cursor is the address's own:
 * going back in the browser goes back in the list
 */
export function usePages<T extends { id: string }, Asked extends PageQuery>(
  name: string,
  list: (gateway: Gateway, query: Asked) => PromiseLike<Page<T>>,
  query: URLSearchParams,
  everyMs = 10_000,
) {
  const { parts, query: address } = useAddress();
  const asked = new URLSearchParams(query);
  asked.set("limit", "20");
  for (const name of CURSORS) {
    const cursor = address.get(name);
    if (cursor !== null) asked.set(name, cursor);
  }
  const call = (gateway: Gateway) => list(gateway, Object.fromEntries(asked) as unknown as Asked);
  const result = useApi(`${name}?${asked}`, call, { everyMs });
  const turn = (name: Cursor, id: string | undefined) => () => {
    const next = new URLSearchParams(address);
    for (const cursor of CURSORS) next.delete(cursor);
    if (id !== undefined) next.set(name, id);
    go(`/${parts.map(encodeURIComponent).join("/")}${next.size > 0 ? `?${next}` : ""}`);
  };
  const { data: rows = [], has_more: hasMore = false } = result.data ?? {};
  const isBackward = address.has("ending_before");
  const hasNewer = address.has("starting_after") || (isBackward && hasMore);
  const hasOlder = isBackward || hasMore;
  return {
    ...result,
    rows,
    newer: hasNewer ? turn("ending_before", rows[0]?.id) : undefined,
    older: hasOlder && rows.length > 0 ? turn("starting_after", rows.at(-1)?.id) : undefined,
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
  empty: string;
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
