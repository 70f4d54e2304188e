// What arrived at the bank and what was kept, as settlements and payout events show it.
import type { payout } from "../db/schema/payouts.ts";
import { formatAmount } from "../money.ts";
import { formatFiat } from "./fiat.ts";

/** The delivered amount is null if the provider does not report it. */
export const showArrived = ({
  currency,
  fee,
  gas,
  deliveredAmount: delivered,
  deliveredCurrency,
  rate,
  externalReference,
}: typeof payout.$inferSelect) => ({
  fee: formatAmount(fee, currency),
  gas: formatAmount(gas, currency),
  deliveredAmount:
    delivered === null || deliveredCurrency === null
      ? null
      : formatFiat({ amount: delivered, currency: deliveredCurrency }),
  deliveredCurrency,
  rate,
  settledExternally: externalReference !== null,
});
