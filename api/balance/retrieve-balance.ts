// Retrieves the balance of the caller's ledger accounts in the caller's mode.
import type { Static } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { ledgerBalance } from "#core/db/schema/ledger.ts";
import type { Account } from "#core/ledger/flows.ts";
import { formatAmount } from "#core/money.ts";
import { formatFiat } from "#core/off-ramp/fiat.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import type { Balance } from "./schemas.ts";

/** @returns the caller's ledger rows, and each account's balance per currency, in the smallest unit */
export async function readLedger({ config, database, deployment }: Services, caller: Caller) {
  const rows = await database
    .select()
    .from(ledgerBalance)
    .where(
      and(
        eq(ledgerBalance.merchantId, caller.merchantId),
        eq(ledgerBalance.mode, caller.mode),
        eq(ledgerBalance.deploymentId, deployment.id),
      ),
    );
  const of = new Map(rows.map(({ account, currency, amount }) => [`${account} ${currency}`, amount]));
  const currencies = Object.keys(config.chain.tokens);
  const on = (account: Account) =>
    currencies.map((currency) => ({ units: of.get(`${account} ${currency}`) ?? 0n, currency }));
  return { rows, on };
}

export async function retrieveBalance(services: Services, { caller }: Call): Promise<Static<typeof Balance>> {
  const { rows, on: unitsOn } = await readLedger(services, caller);
  const on = (account: Account) =>
    unitsOn(account).map(({ units, currency }) => ({ amount: formatAmount(units, currency), currency }));
  return {
    object: "balance",
    livemode: caller.mode === "live",
    pending: on("custody"),
    inTransit: on("in_transit"),
    paid: on("paid"),
    fees: on("fees"),
    gas: on("gas"),
    delivered: rows
      .filter(({ account, amount }) => account === "delivered" && amount > 0n)
      .map(({ amount, currency }) => ({ amount: formatFiat({ amount, currency }), currency }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    withdrawn: on("withdrawn"),
    returned: on("returned"),
  };
}
