// Streams a list as CSV page by page, so that exports can have any size.
import type { Call } from "../http/request-context.ts";
import { formatLine } from "./csv.ts";

type Cell = string | number | null;

/**
 * @param read reads at most `pageSize` rows after the given row. The first page is read before anything is sent,
 * so that its errors become ordinary error responses
 */
export async function streamCsv<Row>({
  name,
  columns,
  pageSize,
  read,
  buildCells,
}: {
  name: string;
  columns: readonly string[];
  pageSize: number;
  read(last: Row | undefined): Promise<Row[]>;
  buildCells(row: Row): Cell[];
}): Promise<Response> {
  let rows = await read(undefined);
  let head = formatLine([...columns]);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = head + rows.map((row) => formatLine(buildCells(row))).join("");
      head = "";
      controller.enqueue(new TextEncoder().encode(text));
      const last = rows.at(-1);
      if (!last || rows.length < pageSize) return controller.close();
      rows = await read(last);
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv;charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}"`,
    },
  });
}

/** Returns the list, or its export if the caller accepts CSV. */
export const listOrExport = <List>(
  { request }: Call,
  list: () => Promise<List>,
  exportAll: () => Promise<Response>,
): Promise<List> | Promise<Response> =>
  request.headers.get("accept")?.includes("text/csv") ? exportAll() : list();
