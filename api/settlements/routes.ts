// The settlements' operations.
import { resourceMissing } from "#core/errors.ts";
import { get, type Operation } from "../http/operation.ts";
import { BAD_LIMIT, OF_MISSING_INTENT } from "../http/refusals.ts";
import { exportSettlements } from "./export-settlements.ts";
import { listSettlements } from "./list-settlements.ts";
import { retrieveSettlement } from "./retrieve-settlement.ts";
import { ListSettlementsQuery, Settlement, SettlementList } from "./schemas.ts";

const missing = (param: string) => resourceMissing("There is no settlement 'payout_…'.", param);
const of = { tag: "Settlements" };

export const settlementOperations: Operation[] = [
  get("/settlements", listSettlements, {
    ...of,
    id: "listSettlements",
    summary: "List settlements",
    description: "With `Accept: text/csv` all that the filters leave, as CSV.",
    query: ListSettlementsQuery,
    answer: SettlementList,
    refusals: [BAD_LIMIT, missing("starting_after"), OF_MISSING_INTENT],
    csv: exportSettlements,
  }),
  get("/settlements/:settlementId", retrieveSettlement, {
    ...of,
    id: "retrieveSettlement",
    summary: "Retrieve a settlement",
    answer: Settlement,
    refusals: [missing("settlementId")],
  }),
];
