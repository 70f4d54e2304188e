// Retrieve the balance: the caller's accounts in the ledger, in the caller's mode.
import type { Static } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { ledgerBalance } from "#core/db/schema/ledger.ts";
import type { Account } from "#core/ledger/flows.ts";
import { formatAmount } from "#core/money.ts";
import { formatFiat } from "#core/off-ramp/fiat.ts";
import type { Call } from "../http/call.ts";
import type { Services } from "../services.ts";
import type { Balance } from "./schemas.ts";

export async function retrieveBalance(
  { config, database, deployment }: Services,
  { caller }: Call,
): Promise<Static<typeof Balance>> {
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
  const on = (account: Account) =>
    Object.keys(config.chain.tokens).map((currency) => ({
      amount: formatAmount(of.get(`${account} ${currency}`) ?? 0n, currency),
      currency,
    }));
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
