// What arrived at the bank, as settlements and payout events show it.
import type { payout } from "../db/schema/payouts.ts";
import { formatFiat } from "./fiat.ts";

/** The amount that arrived at the bank; null if the provider does not report it. */
export const showDelivered = ({
  deliveredAmount: amount,
  deliveredCurrency: currency,
  rate,
}: Pick<typeof payout.$inferSelect, "deliveredAmount" | "deliveredCurrency" | "rate">) => ({
  deliveredAmount: amount === null || currency === null ? null : formatFiat({ amount, currency }),
  deliveredCurrency: currency,
  rate,
});
