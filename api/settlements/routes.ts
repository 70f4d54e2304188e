// The settlements' operations.
import { Elysia } from "elysia";
import { resourceMissing } from "#core/errors.ts";
import { answer, describe } from "../http/describe.ts";
import type { Gateway } from "../http/gateway.ts";
import { listRefusals, OF_MISSING_INTENT } from "../http/refusals.ts";
import { exportSettlements } from "./export-settlements.ts";
import { listSettlements } from "./list-settlements.ts";
import { retrieveSettlement } from "./retrieve-settlement.ts";
import { ListSettlementsQuery, Settlement, SettlementList } from "./schemas.ts";

const missing = (param: string) => resourceMissing("There is no settlement 'payout_…'.", param);

export const settlementRoutes = (shared: Gateway) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get(
      "/settlements",
      async ({ network, call }) =>
        call.request.headers.get("accept")?.includes("text/csv")
          ? ((await exportSettlements(network, call)) as never)
          : listSettlements(network, call),
      {
        access: { permission: "read" },
        response: answer(SettlementList),
        detail: describe({
          id: "listSettlements",
          tag: "Settlements",
          summary: "List settlements",
          description: "With `Accept: text/csv` all that the filters leave, as CSV.",
          query: ListSettlementsQuery,
          refusals: [...listRefusals(missing), OF_MISSING_INTENT],
          alsoAnswers: ["text/csv"],
        }),
      },
    )
    .get("/settlements/:payoutId", async ({ network, call }) => retrieveSettlement(network, call), {
      access: { permission: "read" },
      response: answer(Settlement),
      detail: describe({
        id: "retrieveSettlement",
        tag: "Settlements",
        summary: "Retrieve a settlement",
        description: "One attempt to pay out, with what became of it.",
        refusals: [missing("payoutId")],
      }),
    });
