import { fundPayment, gateway } from "./funded-payment.ts";

const MONTH = 2_592_000;

const { time } = await gateway.testClock.retrieve();
const { id } = await fundPayment({
  metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(time + MONTH) },
});
await gateway.escrow.markShipped(id);

// A month passes.
await gateway.testClock.advance(MONTH + 60);
const { status } = await gateway.paymentIntents.waitFor(id, "SETTLED");
console.log(status);
