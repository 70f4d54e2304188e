// The conditions that are checked with each block to find the workers that have due work.
import { areTransactionsUnresolved } from "./escrow/follow-transactions.ts";
import { arePayoutsDue } from "./payouts/enqueue-due-payouts.ts";
import { isAnyDue } from "./runtime/work-items.ts";
import { areDeliveriesDue } from "./webhooks/claim.ts";

export const DUE_WORK = {
  work: isAnyDue,
  transactions: areTransactionsUnresolved,
  payouts: arePayoutsDue,
  deliveries: areDeliveriesDue,
};
