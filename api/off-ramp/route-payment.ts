// Selects the provider account of a new payment by method, currency, amount and health. The account's wallet
// becomes the off-ramp in the order's terms.
import type { Address } from "viem";
import { findLimits, findWallet, type OffRampAccount } from "#core/config/off-ramp-account.ts";
import type { OffRampAccountState } from "#core/db/schema/off-ramp.ts";
import { carries, type Payment } from "#core/off-ramp/quotes-and-limits.ts";

/** The state of an account in the database (gateway.off_ramp_account). */
export type AccountHealth = { state: OffRampAccountState; failing: boolean };

const HEALTHY: AccountHealth = { state: "active", failing: false };

/**
 * Selects the first configured account that serves the payment, with preference for responsive accounts.
 * @returns the address of the account's wallet; undefined if no account that serves the payment accepts new
 * payments
 */
export function routePayment(
  accounts: readonly OffRampAccount[],
  health: ReadonlyMap<string, AccountHealth>,
  payment: Payment,
): Address | undefined {
  const serving = accounts.flatMap((account) => {
    const { state, failing } = health.get(account.name) ?? HEALTHY;
    const limits = findLimits(account, payment);
    const wallet = findWallet(account, payment.currency);
    const serves = state === "active" && limits && carries(limits, payment.amount, payment.currency);
    return serves && wallet ? [{ failing, wallet }] : [];
  });
  return (serving.find(({ failing }) => !failing) ?? serving[0])?.wallet.address;
}
