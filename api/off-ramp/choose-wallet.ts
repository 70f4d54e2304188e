// Chooses the wallet to which a new payment is settled: the wallet of the provider account that serves the
// payment. The states of the accounts, which operators and the settlement role set, are cached briefly.
import type { Address } from "viem";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import { offRampAccount } from "#core/db/schema/off-ramp.ts";
import { invalidRequest } from "#core/errors.ts";
import type { Payment } from "#core/off-ramp/quotes-and-limits.ts";
import { rememberFor } from "#core/remember.ts";
import { type AccountHealth, routePayment } from "./route-payment.ts";

const FRESH_MS = 1_000;

type Sources = { config: Pick<Config, "accounts" | "offRamp">; database: Database };

/** @throws ServiceError 400 if no account currently accepts such payments */
export type ChooseWallet = (payment: Payment) => Promise<Address>;

export function createWalletChoice({ config: { accounts, offRamp }, database }: Sources): ChooseWallet {
  const readHealth = rememberFor(FRESH_MS, async (): Promise<Map<string, AccountHealth>> => {
    const rows = await database.select().from(offRampAccount);
    return new Map(
      rows.map(({ account, state, failingSince }) => [account, { state, failing: failingSince !== null }]),
    );
  });

  return async (payment) => {
    if (accounts.length === 0 || payment.method === "OFF_RAMP_MOCK") return offRamp;
    const wallet = routePayment(accounts, await readHealth(), payment);
    if (wallet) return wallet;
    throw invalidRequest(
      `No provider currently accepts new payments by ${payment.method} in ${payment.currency}.`,
      "settlementMethod",
    );
  };
}
