// Exports the payment intents that match the filters as CSV. The pages are read while the response is sent.
import type { Static } from "@sinclair/typebox";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Call } from "../../http/request-context.ts";
import { streamCsv } from "../../lists/stream-csv.ts";
import type { Services } from "../../services.ts";
import { buildEnvelope } from "../envelope.ts";
import { buildFilters, readIntents } from "./read-page.ts";
import type { ListExpandedIntentsQuery } from "./schemas.ts";

const ROWS_A_PAGE = 100;

const COLUMNS = [
  "id",
  "created",
  "merchantStatus",
  "status",
  "amount",
  "currency",
  "orderId",
  "description",
  "payer",
  "settlementStatus",
  "transactionHash",
];

const toText = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;

function buildCells(view: IntentView, config: Services["config"]): (string | null)[] {
  const { data } = buildEnvelope(view, config);
  return [
    data.id,
    new Date(data.created * 1000).toISOString(),
    data.merchantStatus,
    data.status,
    data.amount,
    data.currency,
    toText(view.intent.metadata.orderId),
    data.description ?? null,
    data.signerAddress ?? data.payerAddress,
    data.settlementStatus,
    data.transactionHash,
  ];
}

export function exportIntents(
  services: Services,
  { caller }: Call,
  query: Static<typeof ListExpandedIntentsQuery>,
): Promise<Response> {
  const filters = buildFilters(query, services.deployment);
  return streamCsv({
    name: "payments.csv",
    columns: COLUMNS,
    pageSize: ROWS_A_PAGE,
    read: (last: IntentView | undefined) =>
      readIntents(services, caller, filters, { isBackward: false, place: last?.intent }, ROWS_A_PAGE),
    buildCells: (view) => buildCells(view, services.config),
  });
}
