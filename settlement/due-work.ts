// Whose work is due beside that of orders.
import { areTransactionsUnresolved } from "./escrow/follow-transactions.ts";
import { arePayoutsDue } from "./payouts/send-due-payouts.ts";
import { areDeliveriesDue } from "./webhooks/claim.ts";

export const DUE_WORK = {
  transactions: areTransactionsUnresolved,
  payouts: arePayoutsDue,
  deliveries: areDeliveriesDue,
};
