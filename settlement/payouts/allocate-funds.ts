// Allocates a wallet's funds to a payout before each call that orders it: processes together must not order more from a
// provider than its wallet holds. The funds stay allocated while the outcome of a call is unknown, and until the
// provider reports that they have left the wallet (`awaits_funds`).
//
// The same statement records that the payout is about to be ordered (`called_at`), because a payout without this record
// was provably never ordered. It also checks that the lease is still held, because the process may have been suspended.
import { and, eq, sql } from "drizzle-orm";
import { idText } from "#core/db/as-text.ts";
import { together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { offRampBalance } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import type { WalletToken } from "./wallet-token.ts";
import { isNotNewer, type Wallet } from "./wallets.ts";

export type Allocating = Pick<ClaimedPayout, "id" | "leasedUntil" | "amount" | "allocated" | "settledAt">;

/** `lost`: the lease was lost. `short`: the wallet lacks funds. */
export type Allocation = "allocated" | "short" | "lost";

type Asked = { row: Allocating; place: WalletToken };

const buildKey = ({ token, offRamp }: WalletToken): string => `${token} ${offRamp}`.toLowerCase();

/** Stores a wallet's balance, unless another process has stored a balance since this one was read. */
export async function storeBalance(
  database: Database,
  { token, offRamp, balance, allocated, stored }: Wallet,
): Promise<void> {
  if (balance instanceof Error) return;
  const { revision } = offRampBalance;
  await database
    .insert(offRampBalance)
    .values({ token, wallet: offRamp, balance, allocated, revision: 1 })
    .onConflictDoUpdate({
      target: [offRampBalance.token, offRampBalance.wallet],
      set: {
        balance,
        // Adds the funds that were allocated after the balance was read to those that were allocated at that time.
        allocated: sql`${allocated.toString()}::numeric + ${offRampBalance.allocated} - ${stored.allocated.toString()}::numeric`,
        revision: sql`${revision} + 1`,
        readAt: sql`clock_timestamp()`,
      },
      setWhere: eq(revision, stored.revision),
    });
}

/** Returns a function that allocates the funds of a claimed payout from the wallet's stored balance. */
export function createAllocation(database: Database): (asked: Asked) => Promise<Allocation> {
  const { token, wallet, balance, allocated } = offRampBalance;
  // Only payouts whose lease is held take funds from the wallet. If a lease ends while the statement waits for the
  // wallet's row, its funds stay allocated until the balance is read again.
  const held = database.$with("held").as(
    database
      .select({ id: payout.id, lease: payout.leasedUntil, amount: sql<string>`k.amount`.as("amount") })
      .from(payout)
      .innerJoin(
        sql`json_to_recordset(${sql.placeholder("rows")}) as k (id uuid, held timestamptz, amount numeric)`,
        sql`${payout.id} = k.id and ${payout.leasedUntil} = k.held and ${payout.leasedUntil} > clock_timestamp()`,
      ),
  );
  const total = sql`(select coalesce(sum(amount), 0) from held)`;
  const funded = database.$with("funded").as(
    database
      .update(offRampBalance)
      .set({ allocated: sql`${allocated} + ${total}` })
      .where(
        and(
          eq(token, sql.placeholder("token")),
          eq(wallet, sql.placeholder("wallet")),
          // A payout whose funds are already allocated needs no more funds.
          sql`(${total} = 0 or ${allocated} + ${total} <= ${balance})`,
        ),
      )
      .returning({ token }),
  );
  const marked = database.$with("marked").as(
    database
      .update(payout)
      .set({ calledAt: sql`clock_timestamp()`, allocated: true })
      .from(held)
      // The lease is checked again, because the statement may have waited for the wallet's row.
      .where(
        sql`${payout.id} = ${held.id} and ${payout.leasedUntil} = ${held.lease} and exists (select from ${sql.identifier("funded")})
          and ${payout.leasedUntil} > clock_timestamp()`,
      )
      .returning({ id: payout.id }),
  );
  const query = database
    .with(held, funded, marked)
    .select({
      funded: sql<boolean>`exists (select from ${funded})`,
      ids: sql<string[]>`array(select ${idText("payout", sql`id`)} from ${marked})`,
    })
    .from(sql`(select 1) one`)
    .prepare("allocate_funds");

  /** Allocates funds of one wallet to all payouts, or to none if the balance is too low. */
  async function allocate(
    place: WalletToken,
    asked: readonly Allocating[],
  ): Promise<Map<string, Allocation>> {
    const rows = asked.map(({ id, leasedUntil: held, allocated, amount }) => ({
      ...{ id, held },
      amount: allocated ? "0" : amount.toString(),
    }));
    const [made] = await query.execute({
      ...{ token: place.token.toLowerCase(), wallet: place.offRamp.toLowerCase() },
      rows: JSON.stringify(rows.map(toStoredForm(payout))),
    });
    if (!made) throw new Error("The statement that allocates funds returned no row.");
    const ids = new Set(made.ids);
    const result = (id: string): Allocation => (!made.funded ? "short" : ids.has(id) ? "allocated" : "lost");
    return new Map(asked.map(({ id }) => [id, result(id)]));
  }

  /** Allocates funds to all payouts or, if the wallet cannot pay all of them, to one payout at a time, oldest first. */
  async function allocateOldest(
    place: WalletToken,
    asked: readonly Allocating[],
  ): Promise<Map<string, Allocation>> {
    const all = await allocate(place, asked);
    if (asked.length === 1 || ![...all.values()].includes("short")) return all;
    const oldest = asked.toSorted((a, b) => (isNotNewer(a, b) ? -1 : 1));
    const each: [string, Allocation][] = [];
    for (const one of oldest) each.push(...(await allocate(place, [one])));
    return new Map(each);
  }

  return together(async (asked: readonly Asked[]) => {
    const results = new Map<string, Allocation>();
    for (const some of Map.groupBy(asked, ({ place }) => buildKey(place)).values()) {
      const [{ place }] = some as [Asked, ...Asked[]];
      const rows = some.map(({ row }) => row);
      for (const [id, result] of await allocateOldest(place, rows)) results.set(id, result);
    }
    return asked.map(({ row }) => results.get(row.id) ?? new Error(`No result for ${row.id}.`));
  });
}
