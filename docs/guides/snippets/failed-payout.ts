import { randomUUID } from "node:crypto";
import { UnexpectedStatusError } from "@delivery-versus-payment/sdk";
import { fundPayment, gateway } from "./funded-payment.ts";

const { id, payer } = await fundPayment({
  autoRelease: true,
  settlementDestination: `fail_once_${randomUUID()}`,
});
await gateway.escrow.submitDeliveryProof(id, {
  proofHash: `0x${"ab".repeat(32)}`,
  submittedBy: payer.address,
});
try {
  await gateway.paymentIntents.waitFor(id, "SETTLED");
} catch (error) {
  if (!(error instanceof UnexpectedStatusError)) throw error;
  console.log(error.status);
  await gateway.paymentIntents.retrySettlement(id);
}
const { status } = await gateway.paymentIntents.waitFor(id, "SETTLED");
console.log(status);
