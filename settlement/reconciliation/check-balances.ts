// Checks that the ledger's balances equal the sums of its postings.
//
// A run copies the balances, then subtracts, page by page, the postings that were visible to the copy's snapshot. A
// non-zero remainder means that a balance is wrong. Only for the merchants of such balances, all postings are summed in
// one snapshot.
import { and, eq, gt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { columnNames } from "#core/db/column-names.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { reconciliationBalance } from "#core/db/schema/reconciliation-runs.ts";
import type { IntentId } from "#core/ids.ts";
import type { Account } from "#core/ledger/flows.ts";
import type { Currency } from "#core/money.ts";
import { type Finding, formatAccountMoney, stakeOn } from "./discrepancy.ts";
import type { Dependencies } from "./scope.ts";
import type { Comparison, Page, ReadPage, Stage } from "./stage.ts";

/** Number of postings that one statement sums. */
const POSTINGS = 2_000;
/** Number of payments whose postings one statement sums. */
const PAYMENTS = 500;
/** Number of merchants per page, each summed in one snapshot. */
const MERCHANTS = 10;
/** The transaction of an older posting has either committed or never will. */
const LONGEST_TRANSACTION = sql`interval '5 minutes'`;

type Key = { intentId: IntentId; kind: string; subject: string; revision: number };
type Cursor =
  | { step: "subtract"; snapshot: string; settledBefore: string; after: Key | null }
  | { step: "differ"; after: string };

const p = alias(ledgerPosting, "p");
const KEY = sql`(${p.intentId}, ${p.kind}, ${p.subject}, ${p.revision})`;
const keyOf = ({ intentId, kind, subject, revision }: Key) =>
  sql`(${sql.param(intentId, p.intentId)}, ${kind}, ${subject}, ${revision}::int)`;
const ENDS = sql`cross join lateral (
  values (${p.fromAccount}, -${p.amount}), (${p.toAccount}, ${p.amount})) a (account, amount)`;

const r = alias(reconciliationBalance, "r");
const names = columnNames(reconciliationBalance);
const COLUMNS = sql`(${names.runId}, ${names.merchantId}, ${names.mode}, ${names.currency}, ${names.account},
  ${names.amount})`;

/** Compares one merchant's balances with the merchant's postings, in one snapshot. */
export async function compareBalances(
  { database, deployment }: Dependencies,
  merchantId: string,
): Promise<Finding[]> {
  type Row = { mode: string; currency: string; account: string };
  const nameAccount = ({ mode, currency, account }: Row) => [mode, currency, account].join(" ");
  return database.transaction(
    async (tx) => {
      const summed = new Map<string, bigint>();
      type Payment = { id: string; mode: string; createdAt: string };
      for (let after: Payment | undefined = { id: "", mode: "", createdAt: "-infinity" }; after; ) {
        const isAfter = sql`(${intent.mode}, ${intent.createdAt}, ${intent.id})
          > (${after.mode}, ${after.createdAt}::timestamptz, ${sql.param(after.id, intent.id)})`;
        const page: Payment[] = await tx
          .select({ id: intent.id, mode: intent.mode, createdAt: sql<string>`${intent.createdAt}::text` })
          .from(intent)
          .where(and(eq(intent.merchantId, merchantId), isAfter))
          .orderBy(intent.mode, intent.createdAt, intent.id)
          .limit(PAYMENTS);
        const { rows } = await tx.execute<Row & { amount: string }>(sql`
          select ${p.mode}, ${p.currency}, a.account, sum(a.amount)::text as amount from ${ledgerPosting} p ${ENDS}
          where ${isAmong(
            p.intentId,
            page.map(({ id }) => id),
          )} and ${p.deploymentId} = ${deployment.id}
          group by 1, 2, 3`);
        for (const row of rows) {
          const name = nameAccount(row);
          summed.set(name, (summed.get(name) ?? 0n) + BigInt(row.amount));
        }
        after = page.length < PAYMENTS ? undefined : page.at(-1);
      }
      const kept = await tx
        .select()
        .from(ledgerBalance)
        .where(and(eq(ledgerBalance.merchantId, merchantId), eq(ledgerBalance.deploymentId, deployment.id)));
      const balances = new Map(kept.map((row) => [nameAccount(row), row.amount]));
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
      await tx.delete(reconciliationBalance).where(eq(reconciliationBalance.runId, run.id));
      const b = alias(ledgerBalance, "b");
      const { rows } = await tx.execute<{ snapshot: string; settledBefore: string }>(sql`
        with copied as (
          insert into ${reconciliationBalance} ${COLUMNS}
          select ${run.id}, ${b.merchantId}, ${b.mode}, ${b.currency}, ${b.account}, ${b.amount}
          from ${ledgerBalance} b where ${b.deploymentId} = ${deployment.id})
        select pg_current_snapshot()::text as snapshot, (statement_timestamp() - ${LONGEST_TRANSACTION})::text as "settledBefore"`);
      const [copied] = rows;
      if (!copied) throw new Error("The database returned no snapshot.");
      return { step: "subtract", ...copied, after: null };
    });
  }

  /**
   * Compares a row's full transaction id, including the epoch, with the snapshot. A row's xmin has only the lower half.
   */
  const isVisible = (snapshot: string) => sql`(${p.createdAt} < (select "settledBefore" from bound)
    or pg_visible_in_snapshot((select x.id - case when x.id > x.newest + 2147483648 then 4294967296 else 0 end from (
      select newest, (newest >> 32 << 32) + p.xmin::text::bigint as id
      from (select pg_snapshot_xmax(${snapshot}::pg_snapshot)::text::bigint as newest) n) x)::text::xid8, ${snapshot}::pg_snapshot))`;

  async function subtract(cursor: Extract<Cursor, { step: "subtract" }>): Promise<Page> {
    const { after, snapshot, settledBefore } = cursor;
    const rest = and(eq(p.deploymentId, deployment.id), after ? sql`${KEY} > ${keyOf(after)}` : undefined);
    const [last] = await database
      .select({ intentId: p.intentId, kind: p.kind, subject: p.subject, revision: p.revision })
      .from(p)
      .where(rest)
      .orderBy(p.intentId, p.kind, p.subject, p.revision)
      .offset(POSTINGS - 1)
      .limit(1);
    const upTo = last ? sql`and ${KEY} <= ${keyOf(last)}` : sql``;
    return {
      found: [],
      cursor: last ? { ...cursor, after: last } : { step: "differ", after: "" },
      write: (tx) =>
        tx.execute(sql`
          with bound as (select ${settledBefore}::timestamptz as "settledBefore")
          insert into ${reconciliationBalance} as r ${COLUMNS}
          select ${run.id}, ${p.merchantId}, ${p.mode}, ${p.currency}, a.account, -sum(a.amount)
          from ${ledgerPosting} p ${ENDS} where ${rest} ${upTo} and ${isVisible(snapshot)} group by 2, 3, 4, 5
          on conflict (${names.merchantId}, ${names.runId}, ${names.mode}, ${names.currency}, ${names.account})
            do update set ${names.amount} = ${r.amount} + excluded.${names.amount}`),
    };
  }

  async function differ(after: string): Promise<Page> {
    const { runId, merchantId: owner, amount } = reconciliationBalance;
    const rows = await database
      .selectDistinct({ merchantId: owner })
      .from(reconciliationBalance)
      .where(and(eq(runId, run.id), sql`${amount} <> 0`, gt(owner, after)))
      .orderBy(owner)
      .limit(MERCHANTS);
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
