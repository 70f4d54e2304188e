// The balance operation.
import { Elysia } from "elysia";
import { answers } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { retrieveBalance } from "./retrieve-balance.ts";
import { Balance } from "./schemas.ts";

export const balanceRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/balance", async ({ services, call }) => retrieveBalance(services, call), {
      access: { permission: "read" },
      response: answers(Balance),
      detail: {
        operationId: "retrieveBalance",
        tags: ["Balance"],
        summary: "Retrieve the balance",
        description:
          "Returns where the merchant's funds are in each currency, according to the ledger. No balance is available " +
          "for manual payout: released funds are settled and paid out automatically.",
      },
    });
