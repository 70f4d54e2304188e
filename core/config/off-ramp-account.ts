// An off-ramp provider account: the payments that it serves, and its wallet for each of them.
import { type Address, isAddressEqual } from "viem";
import type { SettlementMethod } from "../model/settlement-method.ts";
import type { Currency } from "../money.ts";
import type { Provider } from "./off-ramp-config.ts";

/** In hundredths of the currency's unit. */
export type Limits = { minimum: bigint; maximum: bigint | null; step: bigint };

/** Null: for every currency. */
export type AccountWallet = { id: string; address: Address; currencies: readonly Currency[] | null };

export type OffRampAccount = {
  /** See payout.account: the provider's URL and our customer id there. Contains no secret. */
  name: string;
  provider: Provider;
  /** For each method that it serves. */
  limits: Partial<Record<SettlementMethod, Limits>>;
  currencies: readonly Currency[] | null;
  /** New payments in a currency use the first wallet that has it. */
  wallets: readonly AccountWallet[];
};

const includes = (currencies: readonly Currency[] | null, currency: Currency): boolean =>
  currencies === null || currencies.includes(currency);

type Asked = { method: SettlementMethod; currency: Currency };

/** The account's limits for such payments; undefined if it does not serve them. */
export const findLimits = (account: OffRampAccount, { method, currency }: Asked): Limits | undefined =>
  findWallet(account, currency) && account.limits[method];

/** The wallet that receives the account's new payments in this currency. */
export const findWallet = (
  { currencies, wallets }: OffRampAccount,
  currency: Currency,
): AccountWallet | undefined =>
  includes(currencies, currency)
    ? wallets.find((wallet) => includes(wallet.currencies, currency))
    : undefined;

export const hasWallet = ({ wallets }: OffRampAccount, address: Address): boolean =>
  wallets.some((wallet) => isAddressEqual(wallet.address, address));
