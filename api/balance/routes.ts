// The balance's operation.
import { get, type Operation } from "../http/operation.ts";
import { retrieveBalance } from "./retrieve-balance.ts";
import { Balance } from "./schemas.ts";

export const balanceOperations: Operation[] = [
  get("/balance", retrieveBalance, {
    tag: "Balance",
    id: "retrieveBalance",
    summary: "Retrieve the balance",
    description:
      "Where the merchant's money is, by the ledger, in each currency. Nothing is ever available to be paid out by hand: what is released is settled and paid out by itself.",
    answer: Balance,
  }),
];
