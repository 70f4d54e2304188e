// The account operation.
import { Elysia } from "elysia";
import { answers } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { retrieveAccount } from "./retrieve-account.ts";
import { Account } from "./schemas.ts";

export const accountRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/account", async ({ services, call }) => retrieveAccount(services, call), {
      access: { permission: "read" },
      response: answers(Account),
      detail: {
        operationId: "retrieveAccount",
        tags: ["Account"],
        summary: "Retrieve the account",
        description:
          "Returns the account of the caller. The gateway's operator edits it with `npm run keys -- merchants update`.",
      },
    });
