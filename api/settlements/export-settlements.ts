// Settlements as CSV, all that the filters leave, in pages so that no export is too large.
import type { Static } from "@sinclair/typebox";
import type { payout } from "#core/db/schema/payouts.ts";
import type { Call } from "../http/call.ts";
import { readOwn } from "../lists/own-rows.ts";
import type { Services } from "../services.ts";
import { lineOf } from "./csv.ts";
import { type Filters, filtersOf, SETTLEMENTS } from "./list-settlements.ts";
import { type Settlement, showSettlement } from "./schemas.ts";

const ROWS_A_PAGE = 500;
const FROM_NEWEST = { limit: ROWS_A_PAGE, isBackward: false };

const COLUMNS = [
  "id",
  "paymentIntentId",
  "amount",
  "currency",
  "method",
  "destination",
  "status",
  "attempt",
  "reference",
  "transactionHash",
  "failure",
  "fee",
  "gas",
  "deliveredAmount",
  "deliveredCurrency",
  "rate",
  "settledExternally",
] as const satisfies (keyof Static<typeof Settlement>)[];

const isoOf = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();

const cellOf = (value: string | number | boolean | null) =>
  typeof value === "boolean" ? String(value) : value;

const lineOfSettlement = (shown: Static<typeof Settlement>): string =>
  lineOf([
    ...COLUMNS.map((column) => cellOf(shown[column])),
    ...[isoOf(shown.created), isoOf(shown.completed)],
  ]);

export async function exportSettlements(services: Services, call: Call, query: Filters): Promise<Response> {
  const where = await filtersOf(services, call, query);
  const read = (place?: typeof payout.$inferSelect) =>
    readOwn(services.database, SETTLEMENTS, call.caller, where, { ...FROM_NEWEST, place });
  // The first page before anything is sent: what goes wrong there is an error like any other.
  let rows = await read();
  let head = lineOf([...COLUMNS, "created", "completed"]);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = head + rows.map((row) => lineOfSettlement(showSettlement(row))).join("");
      head = "";
      controller.enqueue(new TextEncoder().encode(text));
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_A_PAGE) return controller.close();
      rows = await read(last);
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv;charset=utf-8",
      "Content-Disposition": 'attachment; filename="settlements.csv"',
    },
  });
}
