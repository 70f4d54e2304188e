// An account at an off-ramp provider, the payments that it serves, and its wallet for each of them.
import { type Address, isAddressEqual } from "viem";
import type { SettlementMethod } from "../model/settlement-method.ts";
import type { Currency } from "../money.ts";
import type { Provider } from "./off-ramp-config.ts";

/** Limits of one transfer, in hundredths of the currency's unit. */
export type Limits = { minimum: bigint; maximum: bigint | null; step: bigint };

/** A wallet of an account. If `currencies` is null, the wallet serves every currency. */
export type AccountWallet = { id: string; address: Address; currencies: readonly Currency[] | null };

export type OffRampAccount = {
  /** The value of payout.account: the provider's URL and our customer id there. It contains no secret. */
  name: string;
  provider: Provider;
  /** The limits for each method that the account serves. */
  limits: Partial<Record<SettlementMethod, Limits>>;
  currencies: readonly Currency[] | null;
  /** New payments use the first wallet that serves their currency. */
  wallets: readonly AccountWallet[];
};

const includes = (currencies: readonly Currency[] | null, currency: Currency): boolean =>
  currencies === null || currencies.includes(currency);

type Asked = { method: SettlementMethod; currency: Currency };

/**
 * Returns the account's limits for payments with this method and currency; undefined if the account does not serve
 * them.
 */
export const findLimits = (account: OffRampAccount, { method, currency }: Asked): Limits | undefined =>
  findWallet(account, currency) && account.limits[method];

/** Returns the wallet that receives the account's new payments in this currency. */
export const findWallet = (
  { currencies, wallets }: OffRampAccount,
  currency: Currency,
): AccountWallet | undefined =>
  includes(currencies, currency)
    ? wallets.find((wallet) => includes(wallet.currencies, currency))
    : undefined;

export const hasWallet = ({ wallets }: OffRampAccount, address: Address): boolean =>
  wallets.some((wallet) => isAddressEqual(wallet.address, address));
