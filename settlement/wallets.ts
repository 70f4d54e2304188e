// What the off-ramp's wallets hold, against what the payouts need that are still to be ordered. A provider must not be
// told to pay out what it has not got: a wallet that lacks anything blocks its token's payouts until it lacks nothing.
import { inArray, sql } from "drizzle-orm";
import { type Address, erc20Abi } from "viem";
import { askChain } from "#core/chain/client.ts";
import type { payout } from "#core/db/payout-schema.ts";
import type { Context } from "./context.ts";
import type { Problems } from "./problems.ts";

type Payout = typeof payout.$inferSelect;
type Sources = Pick<Context, "database" | "client">;

/** One token at one off-ramp; amounts in the token's smallest unit. */
export type Wallet = { token: Address; offRamp: Address; need: bigint; balance: bigint };

type Row = { id: string; token: Address; offRamp: Address };

/** A payout whose settlement a reorg took away needs nothing. */
const SETTLED = sql`gateway.payout p
  join gateway.intent i on i.id = p.intent_id
  join gateway.deployment d on d.id = i.deployment_id and d.current
  join chain.settlement s on s.id = p.settlement_id`;

/** Every wallet from which something is to be paid. */
export async function readWallets({ database, client }: Sources): Promise<Wallet[]> {
  const { rows } = await database.execute<Omit<Row, "id"> & { need: string }>(sql`
    select i.terms ->> 'token' as token, s.off_ramp as "offRamp", sum(p.amount)::text as need
    from ${SETTLED} where p.state = 'created' and p.next_look_at is not null group by 1, 2`);
  return Promise.all(
    rows.map(async ({ token, offRamp, need }) => ({
      token,
      offRamp,
      need: BigInt(need),
      balance: await balanceOf(client, token, offRamp),
    })),
  );
}

const balanceOf = (client: Sources["client"], address: Address, account: Address): Promise<bigint> =>
  askChain(() => client.readContract({ address, abi: erc20Abi, functionName: "balanceOf", args: [account] }));

/** What a wallet lacks; 0 if nothing. */
export const lackOf = ({ need, balance }: Wallet): bigint => (need > balance ? need - balance : 0n);

/**
 * Makes the question for a batch of payouts whether their wallet can pay; wallets are looked at once, and only if it is
 * asked. That one lacks something is said once, and so is that it lacks nothing any more.
 */
export function checkWallets(
  sources: Sources,
  rows: Payout[],
  problems: Problems,
): (row: Payout) => Promise<boolean> {
  async function read() {
    const wallets = await readWallets(sources);
    for (const wallet of wallets) {
      const subject = `wallet ${wallet.offRamp} of ${wallet.token}`;
      const lack = lackOf(wallet);
      if (lack === 0n) problems.over(subject);
      else problems.met(subject, new Error(`It lacks ${lack} units: payouts of this token wait.`));
    }
    const ids = rows.map((row) => row.id);
    const found = await sources.database.execute<Row>(sql`
      select p.id, i.terms ->> 'token' as token, s.off_ramp as "offRamp"
      from ${SETTLED} where ${inArray(sql`p.id`, ids)}`);
    return { wallets, of: new Map(found.rows.map((row) => [row.id, row])) };
  }

  let reading: ReturnType<typeof read> | undefined;
  return async (row) => {
    reading ??= read();
    const { wallets, of } = await reading;
    const own = of.get(row.id);
    if (!own) return false;
    const wallet = wallets.find(({ token, offRamp }) => token === own.token && offRamp === own.offRamp);
    if (row.state === "created") return wallet !== undefined && lackOf(wallet) === 0n;
    // Its provider does not know it after all, so it needs what nobody has counted.
    const balance = wallet?.balance ?? (await balanceOf(sources.client, own.token, own.offRamp));
    return balance - (wallet?.need ?? 0n) >= row.amount;
  };
}
