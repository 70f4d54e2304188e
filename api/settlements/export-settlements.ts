// Exports the settlements that match the filters as CSV, page by page, so that exports can have any size.
import type { Static } from "@sinclair/typebox";
import type { payout } from "#core/db/schema/payouts.ts";
import type { Call } from "../http/request-context.ts";
import { readOwn } from "../lists/own-rows.ts";
import { streamCsv } from "../lists/stream-csv.ts";
import type { Services } from "../services.ts";
import { buildFilters, type Filters, SETTLEMENTS } from "./list-settlements.ts";
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

const formatIso = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();

const toCell = (value: string | number | boolean | null) =>
  typeof value === "boolean" ? String(value) : value;

const buildCells = (shown: Static<typeof Settlement>) => [
  ...COLUMNS.map((column) => toCell(shown[column])),
  ...[formatIso(shown.created), formatIso(shown.completed)],
];

export async function exportSettlements(services: Services, call: Call, query: Filters): Promise<Response> {
  const where = await buildFilters(services, call, query);
  return streamCsv({
    name: "settlements.csv",
    columns: [...COLUMNS, "created", "completed"],
    pageSize: ROWS_A_PAGE,
    read: (place: typeof payout.$inferSelect | undefined) =>
      readOwn(services.database, SETTLEMENTS, call.caller, where, { ...FROM_NEWEST, place }),
    buildCells: (row) => buildCells(showSettlement(row)),
  });
}
