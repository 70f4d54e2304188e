// The balances of the off-ramp's wallets, compared with the payouts that are still to be ordered. A provider must not
// be ordered to pay out more than it holds: if a wallet lacks funds, the oldest payouts are paid first.
import { sql } from "drizzle-orm";
import { type Address, erc20Abi, isAddressEqual } from "viem";
import { askChain } from "#core/chain/client.ts";
import { settlement } from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { isCurrent } from "#core/deployment/is-current.ts";
import type { Context } from "../runtime/context.ts";
import type { Problems } from "../runtime/problems.ts";
import { hasOwnFunds } from "./retry-funds.ts";
import type { WalletToken } from "./wallet-token.ts";

type Payout = Pick<
  typeof payout.$inferSelect,
  "id" | "intentId" | "attempt" | "state" | "amount" | "createdAt" | "settledAt"
>;
type Sources = Pick<Context, "database" | "client">;

/** Amounts in the token's smallest unit. */
export type Wallet = WalletToken & {
  need: bigint;
  balance: bigint;
  /** When `need` was read, before `balance`, by the database's clock. */
  asOf: string;
};

/** How long the balances are cached; many batches are processed in that time. */
const FRESH_MS = 1_000;
/** How long a grant beyond the need counts: until the balance shows it, at a provider that debits at once. */
const GRANT_MS = 10_000;
/** A result's time is set before it is committed. */
const COMMITS = sql`interval '5 seconds'`;
/** A call ends well within this time; what was called earlier has only been reported on since then. */
const CALL_ENDS = sql`interval '1 minute'`;

/** A payout whose settlement a reorg removed needs no funds. */
const SETTLED = sql`${payout}
  join ${intent} on ${intent.id} = ${payout.intentId}
  join ${deployment} on ${isCurrent(intent.deploymentId)}
  join ${settlement} on ${settlement.id} = ${payout.settlementId}
  left join ${offRampWallet} on ${offRampWallet.account} = ${payout.account} and ${offRampWallet.walletId} = ${payout.wallet}
    and lower(${offRampWallet.address}) <> lower(${settlement.offRamp})`;

/** An operator may have had another account's wallet pay it (npm run accounts -- move). */
const PAYS_FROM = sql`lower(coalesce(${offRampWallet.address}, ${settlement.offRamp}))`;

/**
 * Payouts to be ordered for the first time, whose settlement has brought their funds. A retry has its own funds, or
 * waits.
 */
const WAITS = sql`${payout.state} = 'created' and ${payout.attempt} = 1 and ${payout.nextAttemptAt} is not null`;

/** Every wallet that has something to pay. */
export async function readWallets({ database, client }: Sources): Promise<Wallet[]> {
  const { rows } = await database.execute<WalletToken & { need: string; asOf: string }>(sql`
    select ${intent.terms} ->> 'token' as token, ${PAYS_FROM} as "offRamp", sum(${payout.amount})::text as need,
      statement_timestamp()::text as "asOf"
    from ${SETTLED} where ${WAITS} group by 1, 2`);
  return Promise.all(
    rows.map(async ({ token, offRamp, need, asOf }) => ({
      token,
      offRamp,
      asOf,
      need: BigInt(need),
      balance: await loadBalance(client, token, offRamp),
    })),
  );
}

const loadBalance = (client: Sources["client"], address: Address, account: Address): Promise<bigint> =>
  askChain(() => client.readContract({ address, abi: erc20Abi, functionName: "balanceOf", args: [account] }));

/** The part of the wallet's balance that is not for this payout: older ones wait for it, or it was spent since `asOf`. */
async function sumClaims(
  { database }: Sources,
  { id, settledAt }: Payout,
  { token, offRamp, asOf }: Wallet,
): Promise<bigint> {
  const isOlder = sql`(${payout.settledAt}, ${payout.id}) < (${settledAt.toISOString()}::timestamptz, ${id})`;
  const { rows } = await database.execute<{ amount: string }>(sql`
    select coalesce(sum(${payout.amount}), 0)::text as amount from ${SETTLED}
    where (${WAITS} and ${isOlder}
        or not (${WAITS}) and ${payout.updatedAt} >= ${asOf}::timestamptz - ${COMMITS}
          and ${payout.calledAt} >= ${asOf}::timestamptz - ${CALL_ENDS})
      and ${payout.id} <> ${id} and ${intent.terms} ->> 'token' = ${token} and ${PAYS_FROM} = lower(${offRamp})`);
  return BigInt(rows[0]?.amount ?? 0);
}

/** The amount that a wallet lacks; 0 if none. */
export const computeLack = ({ need, balance }: Wallet): bigint => (need > balance ? need - balance : 0n);

type Look = { wallets: Promise<Wallet[]>; until: number };

type Grant = { id: string; place: WalletToken; amount: bigint; at: number };

const isSamePlace = (a: WalletToken, b: WalletToken): boolean =>
  isAddressEqual(a.token, b.token) && isAddressEqual(a.offRamp, b.offRamp);

export type WalletCheck = {
  /** Preloads the balances; does nothing if they are cached. */
  lookAhead(): void;
  /** Whether a payout's wallet can pay it. */
  canPay(row: Payout, place: WalletToken): Promise<boolean>;
};

/**
 * Creates the check whether a payout's wallet can pay it. The balances are cached briefly for all callers. A shortage
 * is logged once, and so is its end.
 */
export function createWalletCheck(sources: Sources, problems: Problems): WalletCheck {
  async function read(): Promise<Wallet[]> {
    const wallets = await readWallets(sources);
    for (const wallet of wallets) {
      const subject = `wallet ${wallet.offRamp} of ${wallet.token}`;
      const lack = computeLack(wallet);
      if (lack === 0n) problems.resolve(subject);
      else problems.report(subject, new Error(`The wallet lacks ${lack} units: its newest payouts wait.`));
    }
    return wallets;
  }

  let last: Look | undefined;
  /** Beyond the need: no reading counts them. */
  let grants: Grant[] = [];

  function look(): Look {
    const mine: Look = { wallets: read(), until: performance.now() + FRESH_MS };
    mine.wallets.catch(() => {
      if (last === mine) last = undefined;
    });
    last = mine;
    return mine;
  }

  const recent = (): Look | undefined => (last && performance.now() < last.until ? last : undefined);

  async function walletAt(place: WalletToken): Promise<Wallet | undefined> {
    const find = async ({ wallets }: Look) => (await wallets).find((wallet) => isSamePlace(wallet, place));
    const before = recent();
    if (!before) return find(look());
    // Nothing was to be paid from it at that time.
    return (await find(before)) ?? find(last && last !== before ? last : look());
  }

  return {
    lookAhead() {
      if (!recent()) look();
    },
    async canPay(row, place) {
      if (row.attempt > 1) return hasOwnFunds(sources, row, place);
      const wallet = await walletAt(place);
      if (row.state === "created" && wallet) {
        return (
          computeLack(wallet) === 0n || (await sumClaims(sources, row, wallet)) + row.amount <= wallet.balance
        );
      }
      if (row.state === "created") return false;
      // The provider turned out not to have it, so its amount was not counted.
      const balance = wallet?.balance ?? (await loadBalance(sources.client, place.token, place.offRamp));
      grants = grants.filter(({ id, at }) => id !== row.id && at > performance.now() - GRANT_MS);
      const granted = grants.filter((grant) => isSamePlace(grant.place, place));
      const taken = granted.reduce((sum, { amount }) => sum + amount, row.amount);
      if (balance - (wallet?.need ?? 0n) < taken) return false;
      grants.push({ id: row.id, place, amount: row.amount, at: performance.now() });
      return true;
    },
  };
}
