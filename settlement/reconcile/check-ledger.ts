// The ledger against itself, and against what chain and payouts say: the same comparison by which it is written, over
// everything.
import { type SQL, sql } from "drizzle-orm";
import type { IntentId } from "#core/ids.ts";
import type { Account } from "#core/ledger/flows.ts";
import type { Currency } from "#core/money.ts";
import { finalizedBlock } from "../finalized-block.ts";
import { type Difference, findDifferences } from "../ledger/differences.ts";
import { type Discrepancy, money } from "./discrepancy.ts";
import type { Parts, Scope } from "./scope.ts";

/** Intents compared in one query. */
const BATCH = 500;

const owned = (alias: string, { merchantId }: Scope): SQL =>
  merchantId === undefined ? sql`` : sql`and ${sql.raw(alias)}.merchant_id = ${merchantId}`;

/** That the balances are what the postings come to. */
export async function checkBalances({ database, deployment }: Parts, scope: Scope): Promise<Discrepancy[]> {
  type Row = { merchant: string; currency: Currency; account: Account; kept: string; summed: string };
  const { rows } = await database.execute<Row>(sql`
    with summed as (
      select p.merchant_id, p.mode, p.currency, a.account, sum(a.amount) as amount
      from gateway.ledger_posting p
      cross join lateral (values (p.from_account, -p.amount), (p.to_account, p.amount)) a (account, amount)
      where p.deployment_id = ${deployment.id} ${owned("p", scope)} group by 1, 2, 3, 4
    ), kept as (
      select merchant_id, mode, currency, account, amount from gateway.ledger_balance b
      where b.deployment_id = ${deployment.id} ${owned("b", scope)}
    )
    select merchant_id as merchant, currency, account,
      coalesce(kept.amount, 0)::text as kept, coalesce(summed.amount, 0)::text as summed
    from summed full join kept using (merchant_id, mode, currency, account)
    where coalesce(kept.amount, 0) <> coalesce(summed.amount, 0)`);
  return rows.map(({ merchant, currency, account, kept, summed }) => ({
    kind: "wrong_balance",
    about: `${merchant} ${currency} ${account}`,
    says:
      `Account ${account} of merchant ${merchant} says ${money(BigInt(kept), currency)}, ` +
      `its postings come to ${money(BigInt(summed), currency)}.`,
  }));
}

const SAYS: Record<Difference["kind"], string> = {
  funded: "was paid into the escrow",
  refunded: "went back to the payer",
  withdrawn: "was withdrawn by the merchant on chain",
  settled: "was settled to the off-ramp",
  paid: "was paid out",
  fee: "was kept by the provider",
  payout_returned: "came back from the bank",
  lost: "was paid out although its settlement is not on the chain",
};

function describe(missing: Difference, currency: Currency, held: boolean): Discrepancy {
  const { kind, subject, amount, takenBack, intentId, payoutId } = missing;
  const what = payoutId ?? (subject === `0x${intentId.slice(7)}` ? intentId : `${subject} of ${intentId}`);
  const fact = `${money(amount, currency)} ${SAYS[kind]} (${kind}, ${what})`;
  return {
    kind: "missing_posting",
    about: `${kind} ${subject}`,
    says:
      `${takenBack ? "The ledger says what is not so" : "The ledger does not have it"}: ${fact}` +
      `${held ? "; it is held back, because an account would be overdrawn" : ""}.`,
  };
}

/** That everything that happened is posted, and nothing else. */
export async function checkPostings(parts: Parts, scope: Scope): Promise<Discrepancy[]> {
  const { database, deployment, guard } = parts;
  const finalized = await finalizedBlock(parts);
  const missing: { difference: Difference; held: boolean }[] = [];
  const recent = scope.recent
    ? sql`and (i.last_seen_status not in ('FINAL', 'CANCELED') or i.updated_at >= ${scope.since.toISOString()}
        or exists (select from chain."order" o where o.id = i.order_id and o.updated_at >= ${Math.floor(scope.since.getTime() / 1_000)}))`
    : sql``;
  let after = "";
  for (;;) {
    parts.signal?.throwIfAborted();
    const page = sql`select i.id, i.order_id from gateway.intent i
      where i.deployment_id = ${deployment.id} and i.order_id > ${after} ${owned("i", scope)} ${recent}
      order by i.order_id limit ${BATCH}`;
    const { witness, findings } = await findDifferences(parts, page, finalized);
    await guard(witness);
    missing.push(...findings.differences.map((difference) => ({ difference, held: false })));
    missing.push(...findings.held.map((difference) => ({ difference, held: true })));
    const { count, last } = findings.looked;
    if (last === null || count < BATCH) break;
    after = last;
  }
  const currencies = await currenciesOf(
    database,
    missing.map(({ difference }) => difference.intentId),
  );
  return missing.map(({ difference, held }) =>
    describe(difference, currencies.get(difference.intentId) ?? "USDC", held),
  );
}

async function currenciesOf(database: Parts["database"], ids: IntentId[]): Promise<Map<IntentId, Currency>> {
  if (ids.length === 0) return new Map();
  const { rows } = await database.execute<{ id: IntentId; currency: Currency }>(
    sql`select id, currency from gateway.intent where id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`,
  );
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}
