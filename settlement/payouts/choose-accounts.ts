// Chooses the provider account and the wallet that pay a payout.
import { sql } from "drizzle-orm";
import type { Address } from "viem";
import type { Database, Transaction } from "#core/db/client.ts";
import { offRampAccount, offRampWallet } from "#core/db/schema/off-ramp.ts";
import type { payout } from "#core/db/schema/payouts.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import { listOffRamps } from "../off-ramp/accounts.ts";
import type { OffRamps } from "../off-ramp/off-ramp.ts";

export type Candidate = Pick<typeof payout.$inferSelect, "id" | "method" | "currency" | "amount"> & {
  /** The account to which the payout already belongs, if only its wallet is missing. */
  account?: string | null;
  /** The wallet that holds the payout's funds. */
  fundedAt: Address;
};

/** `wallet` and `walletAddress` are null if the account does not pay from a wallet. */
export type Choice = { account: string; wallet: string | null; walletAddress: Address | null };

/** Returns the accounts' limits; null for no bound. */
function listRoutes(offRamps: OffRamps) {
  return listOffRamps(offRamps).flatMap(({ account, hasWallets, routes }, rank) =>
    routes
      ? routes.map((route) => ({ ...route, account, hasWallets, rank }))
      : SETTLEMENT_METHODS.filter((method) => offRamps(method)?.account === account).map((method) => ({
          ...{ account, method, currency: null, least: null, most: null, hasWallets, rank },
        })),
  );
}

/**
 * Creates a function that chooses an account for each payout. The account must accept the payout's method, currency and
 * amount, must be neither drained nor removed, and must have the wallet that holds the funds. Responsive
 * accounts come first, then configuration order.
 * @returns a function that returns the choices by payout; a payout that no account may pay is absent
 */
export function createAccountChoice(offRamps: OffRamps) {
  const routes = JSON.stringify(listRoutes(offRamps));
  const received = sql`lower(${offRampWallet.address}) = lower(candidate."fundedAt")`;

  return async (
    database: Pick<Database | Transaction, "execute">,
    payouts: readonly Candidate[],
  ): Promise<Map<string, Choice>> => {
    const candidates = payouts.map(({ id, method, currency, amount, account, fundedAt }) => ({
      ...{ id, method, currency, account, fundedAt },
      amount: amount.toString(),
    }));
    const { rows } = await database.execute<Choice & { id: string }>(sql`
      with candidate as (select * from json_to_recordset(${JSON.stringify(candidates)}::json) as
        (id text, method text, currency text, amount numeric, account text, "fundedAt" text))
      select candidate.id, chosen.* from candidate cross join lateral (
        select route.account, ${offRampWallet.walletId} as wallet, ${offRampWallet.address} as "walletAddress"
        from json_to_recordset(${routes}::json) as route (account text, method text, currency text, least numeric,
          most numeric, "hasWallets" boolean, rank int)
        left join ${offRampAccount} on ${offRampAccount.account} = route.account
        left join ${offRampWallet} on route."hasWallets" and ${offRampWallet.account} = route.account and ${received}
        where candidate.account is null and route.method = candidate.method
          and coalesce(route.currency = candidate.currency, true)
          and coalesce(candidate.amount >= route.least, true) and coalesce(candidate.amount <= route.most, true)
          and coalesce(${offRampAccount.state}, 'active') = 'active'
          and (not route."hasWallets" or ${offRampWallet.walletId} is not null)
        order by ${offRampAccount.failingSince} is not null, route.rank limit 1) chosen
      union all
      select candidate.id, candidate.account, ${offRampWallet.walletId}, ${offRampWallet.address}
      from candidate join ${offRampWallet} on ${offRampWallet.account} = candidate.account and ${received}`);
    return new Map(rows.map(({ id, ...choice }) => [id, choice]));
  };
}
