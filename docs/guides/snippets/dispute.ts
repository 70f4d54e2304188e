import { fundPayment, gateway } from "./funded-payment.ts";

const { id } = await fundPayment();
const account = await gateway.account.retrieve();
await gateway.escrow.raiseDispute(id, {
  reason: "The payer says that one chair is broken.",
  raisedBy: account.data.contractMerchantId,
});
// In test mode the gateway decides as the arbiter; on a live network the arbiter does, on the contract.
await gateway.escrow.resolveDispute(id, { outcome: "PARTIAL_REFUND", merchantAmount: "60.00" });
const { data } = await gateway.escrow.retrieve(id);
console.log(data.orderStatus, data.refundedAmount);
