// Lists the transfers that an account accepts, for routing.
import { findLimits, type OffRampAccount } from "#core/config/off-ramp-account.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import type { Currency } from "#core/money.ts";
import { hundredthOf } from "#core/off-ramp/quotes-and-limits.ts";
import type { Route } from "./off-ramp.ts";

/** Returns the account's limits for each of the network's currencies. */
export function listRoutes(account: OffRampAccount, currencies: readonly Currency[]): Route[] {
  return currencies.flatMap((currency) =>
    SETTLEMENT_METHODS.flatMap((method) => {
      const limits = findLimits(account, { method, currency });
      if (!limits) return [];
      const units = (hundredths: bigint) => String(hundredths * hundredthOf(currency));
      const most = limits.maximum === null ? null : units(limits.maximum);
      return [{ method, currency, least: units(limits.minimum), most }];
    }),
  );
}
