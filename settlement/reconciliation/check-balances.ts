// Checks the ledger against itself: the balances equal the sums of the postings.
//
// A run copies the balances, then subtracts page by page the postings that were visible to the copy's snapshot. The
// remainder is non-zero if a balance is wrong, and only for those merchants all postings are summed in one snapshot.
import { sql } from "drizzle-orm";
import type { Account } from "#core/ledger/flows.ts";
import type { Currency } from "#core/money.ts";
import { type Finding, formatAccountMoney, stakeOn } from "./discrepancy.ts";
import type { Parts } from "./scope.ts";
import type { Comparison, Page, ReadPage, Stage } from "./stage.ts";

/** Postings added up in one statement. */
const POSTINGS = 2_000;
/** Payments whose postings are added up in one statement. */
const PAYMENTS = 500;
/** Merchants per page that are summed in one snapshot each. */
const MERCHANTS = 10;
/** Older postings have been committed or never will be. */
const LONGEST_TRANSACTION = sql`interval '5 minutes'`;

type Key = { kind: string; subject: string; revision: number };
type Cursor =
  | { step: "subtract"; snapshot: string; settledBefore: string; after: Key | null }
  | { step: "differ"; after: string };

const ENDS = sql`cross join lateral (values (p.from_account, -p.amount), (p.to_account, p.amount)) a (account, amount)`;

/** For one merchant, in one snapshot. */
export async function compareBalances(
  { database, deployment }: Parts,
  merchantId: string,
): Promise<Finding[]> {
  type Row = { mode: string; currency: Currency; account: Account; amount: string };
  const nameAccount = ({ mode, currency, account }: Row) => [mode, currency, account].join(" ");
  return database.transaction(
    async (tx) => {
      const summed = new Map<string, bigint>();
      type Payment = { id: string; mode: string; createdAt: string };
      for (let after: Payment | undefined = { id: "", mode: "", createdAt: "-infinity" }; after; ) {
        const { rows: page }: { rows: Payment[] } = await tx.execute<Payment>(sql`
          select id, mode, created_at::text as "createdAt" from gateway.intent
          where merchant_id = ${merchantId} and (mode, created_at, id) > (${after.mode}, ${after.createdAt}::timestamptz, ${after.id})
          order by mode, created_at, id limit ${PAYMENTS}`);
        const ids = JSON.stringify(page.map(({ id }) => id));
        const { rows } = await tx.execute<Row>(sql`
          select p.mode, p.currency, a.account, sum(a.amount)::text as amount from gateway.ledger_posting p ${ENDS}
          where p.intent_id in (select jsonb_array_elements_text(${ids}::jsonb)) and p.deployment_id = ${deployment.id}
          group by 1, 2, 3`);
        for (const row of rows) {
          const name = nameAccount(row);
          summed.set(name, (summed.get(name) ?? 0n) + BigInt(row.amount));
        }
        after = page.length < PAYMENTS ? undefined : page.at(-1);
      }
      const { rows: kept } = await tx.execute<Row>(sql`
        select mode, currency, account, amount::text from gateway.ledger_balance
        where merchant_id = ${merchantId} and deployment_id = ${deployment.id}`);
      const balances = new Map(kept.map((row) => [nameAccount(row), BigInt(row.amount)]));
      return [...new Set([...balances.keys(), ...summed.keys()])].sort().flatMap((name): Finding[] => {
        const [says, comesTo] = [balances.get(name) ?? 0n, summed.get(name) ?? 0n];
        if (says === comesTo) return [];
        const [, currency, account] = name.split(" ") as [string, Currency, Account];
        return [
          {
            kind: "wrong_balance",
            about: `${merchantId} ${currency} ${account}`,
            says:
              `Account ${account} of merchant ${merchantId} has the balance ${formatAccountMoney(account, says, currency)}, ` +
              `but its postings add up to ${formatAccountMoney(account, comesTo, currency)}.`,
            ...stakeOn(account, says - comesTo, currency),
            identity: `${says} ${comesTo}`,
            subject: { check: "balances", merchantId },
          },
        ];
      });
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

function openAll({ parts, run }: Comparison): ReadPage {
  const { database, deployment } = parts;

  async function copyBalances(): Promise<Cursor> {
    return database.transaction(async (tx) => {
      await tx.execute(sql`delete from gateway.reconciliation_balance where run_id = ${run.id}`);
      const { rows } = await tx.execute<{ snapshot: string; settledBefore: string }>(sql`
        with copied as (
          insert into gateway.reconciliation_balance (run_id, merchant_id, mode, currency, account, amount)
          select ${run.id}, merchant_id, mode, currency, account, amount from gateway.ledger_balance
          where deployment_id = ${deployment.id})
        select pg_current_snapshot()::text as snapshot, (statement_timestamp() - ${LONGEST_TRANSACTION})::text as "settledBefore"`);
      const [copied] = rows;
      if (!copied) throw new Error("The database returned no snapshot.");
      return { step: "subtract", ...copied, after: null };
    });
  }

  /** A row's transaction as counted by the snapshot, including the epoch; rows keep only the lower half. */
  const isVisible = (snapshot: string) => sql`(p.created_at < (select "settledBefore" from bound)
    or pg_visible_in_snapshot((select x.id - case when x.id > x.newest + 2147483648 then 4294967296 else 0 end from (
      select newest, (newest >> 32 << 32) + p.xmin::text::bigint as id
      from (select pg_snapshot_xmax(${snapshot}::pg_snapshot)::text::bigint as newest) n) x)::text::xid8, ${snapshot}::pg_snapshot))`;

  async function subtract(cursor: Extract<Cursor, { step: "subtract" }>): Promise<Page> {
    const { after, snapshot, settledBefore } = cursor;
    const above = after
      ? sql`and (p.kind, p.subject, p.revision) > (${after.kind}, ${after.subject}, ${after.revision})`
      : sql``;
    const { rows } = await database.execute<Key>(sql`
      select p.kind, p.subject, p.revision from gateway.ledger_posting p where p.deployment_id = ${deployment.id} ${above}
      order by p.kind, p.subject, p.revision offset ${POSTINGS - 1} limit 1`);
    const [last] = rows;
    const upTo = last
      ? sql`and (p.kind, p.subject, p.revision) <= (${last.kind}, ${last.subject}, ${last.revision})`
      : sql``;
    return {
      found: [],
      cursor: last ? { ...cursor, after: last } : { step: "differ", after: "" },
      write: (tx) =>
        tx.execute(sql`
          with bound as (select ${settledBefore}::timestamptz as "settledBefore")
          insert into gateway.reconciliation_balance as b (run_id, merchant_id, mode, currency, account, amount)
          select ${run.id}, p.merchant_id, p.mode, p.currency, a.account, -sum(a.amount) from gateway.ledger_posting p ${ENDS}
          where p.deployment_id = ${deployment.id} ${above} ${upTo} and ${isVisible(snapshot)} group by 2, 3, 4, 5
          on conflict (merchant_id, run_id, mode, currency, account) do update set amount = b.amount + excluded.amount`),
    };
  }

  async function differ(after: string): Promise<Page> {
    const { rows } = await database.execute<{ merchantId: string }>(sql`
      select distinct merchant_id as "merchantId" from gateway.reconciliation_balance
      where run_id = ${run.id} and amount <> 0 and merchant_id > ${after} order by 1 limit ${MERCHANTS}`);
    const found: Finding[] = [];
    for (const { merchantId } of rows) found.push(...(await compareBalances(parts, merchantId)));
    const last = rows.length < MERCHANTS ? undefined : rows.at(-1);
    return { found, cursor: last ? { step: "differ", after: last.merchantId } : null };
  }

  return async (stored) => {
    const cursor = stored as Cursor | null;
    if (!cursor) return { found: [], cursor: await copyBalances() };
    return cursor.step === "subtract" ? subtract(cursor) : differ(cursor.after);
  };
}

export const balances: Stage = {
  name: "balances",
  open(comparison) {
    const { merchantId } = comparison.scope;
    if (merchantId === undefined) return openAll(comparison);
    return async () => ({ found: await compareBalances(comparison.parts, merchantId), cursor: null });
  },
};
