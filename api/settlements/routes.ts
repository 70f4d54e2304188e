// The settlement operations.
import { Elysia } from "elysia";
import { noSuch } from "#core/errors.ts";
import { answers, pathParams, queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { listRefusals, OF_MISSING_INTENT } from "../lists/documented-errors.ts";
import { listOrExport } from "../lists/stream-csv.ts";
import { exportSettlements } from "./export-settlements.ts";
import { listSettlements, retrieveSettlement } from "./list-settlements.ts";
import { ListSettlementsQuery, Settlement, SettlementList } from "./schemas.ts";

const missing = (param: string) => noSuch("settlement", "payout_…", param);

export const settlementRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get(
      "/settlements",
      ({ services, call, query }) =>
        listOrExport(
          call,
          () => listSettlements(services, call, query),
          () => exportSettlements(services, call, query),
        ),
      {
        access: { permission: "read" },
        ...queried(ListSettlementsQuery),
        response: answers(SettlementList, [...listRefusals(missing), OF_MISSING_INTENT], ["text/csv"]),
        detail: {
          operationId: "listSettlements",
          tags: ["Settlements"],
          summary: "List settlements",
          description: "With `Accept: text/csv`, returns all matches as CSV.",
        },
      },
    )
    .get("/settlements/:payoutId", async ({ services, call }) => retrieveSettlement(services, call), {
      access: { permission: "read" },
      params: pathParams("payoutId"),
      response: answers(Settlement, [missing("payoutId")]),
      detail: {
        operationId: "retrieveSettlement",
        tags: ["Settlements"],
        summary: "Retrieve a settlement",
        description: "Returns one payout attempt and its result.",
      },
    });
