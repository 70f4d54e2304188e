// Compares the ledger with the contract's holdings, as of the block up to which the ledger is complete.
import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Address, erc20Abi } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { unpackTerms } from "#core/chain/pack-terms.ts";
import { restoreTerms } from "#core/chain/terms.ts";
import { hexText, intentIdText, termsAddress } from "#core/db/as-text.ts";
import { inSlices } from "#core/db/batch.ts";
import { credit } from "#core/db/chain.ts";
import { readBytes } from "#core/db/schema/columns.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import type { Currency } from "#core/money.ts";
import { buildStake, type Finding, findCurrency, formatMoney } from "./discrepancy.ts";
import {
  type Amounts,
  addAmounts,
  advanceForeign,
  keepForeign,
  selectForeignFlow,
} from "./foreign-orders.ts";
import type { Dependencies } from "./scope.ts";
import type { Comparison, Stage } from "./stage.ts";

/** Maximum number of orders that are read from the contract one by one if its balance cannot be explained. */
const MOST_ORDERS = 1_000;
const AT_ONCE = 20;
/** Number of postings that are read at a time to find these orders. */
const POSTINGS = 1_000;

/** One of our orders for which the ledger has funds in custody. */
type Custody = { id: string; order: `0x${string}`; terms: string; currency: Currency; custody: string };
/** The position of a posting, in descending order. */
type Funding = { block: string; intentId: string };

type Read = {
  /** The ledger's custody, by currency. */
  custody: { currency: Currency; amount: string }[];
  /** The change in the holdings of foreign orders after the block up to which they are known. */
  foreign: Amounts;
  credits: { account: Address; token: Address }[];
};

/** The holdings of foreign orders up to a block. */
type KnownForeign = { block: number; amounts: Amounts };

const b = alias(ledgerBalance, "b");
const f = alias(ledgerPosting, "f");
const p = alias(ledgerPosting, "p");

/** A posting's effect on custody. */
const ON_CUSTODY = sql`case 'custody' when ${p.toAccount} then ${p.amount} when ${p.fromAccount} then -${p.amount} else 0 end`;

async function read({ database, guard, deployment: current }: Dependencies, known: KnownForeign) {
  const flow = selectForeignFlow(current.id, known.block, sql`${deployment.ledgerBlock}`);
  const [row] = await joinIndexerSnapshot(
    database
      .select({
        snapshot: indexerSnapshotFields,
        block: deployment.ledgerBlock,
        found: sql<Read>`(select json_build_object(
          'custody', (select coalesce(json_agg(json_build_object('currency', c.currency, 'amount', c.amount::text)), '[]') from (
            select currency, sum(amount) as amount from (
              select ${b.currency}, ${b.amount} from ${ledgerBalance} b
                where ${b.deploymentId} = ${deployment.id} and ${b.account} = 'custody'
              union all select ${p.currency}, -${ON_CUSTODY} from ${ledgerPosting} p
                where ${p.deploymentId} = ${deployment.id} and ${p.block} > ${deployment.ledgerBlock}) a group by 1) c),
          'foreign', (select coalesce(json_object_agg(${hexText(sql`f.token`)}, f.amount::text), '{}') from (${flow}) f),
          'credits', (select coalesce(json_agg(json_build_object('account', ${hexText(credit.account)}, 'token', ${hexText(credit.token)})), '[]') from ${credit})))`,
      })
      .from(deployment)
      .$dynamic(),
  ).where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment is not in the database.");
  await guard(row.snapshot);
  const { found } = row;
  return { block: row.block, ...found, foreign: addAmounts(known.amounts, found.foreign) };
}

const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Runs a query for each item, several at a time. */
async function each<T, R>(items: T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const some of inSlices(items, AT_ONCE)) answers.push(...(await Promise.all(some.map(ask))));
  return answers;
}

/** Reads a page of funded orders. Returns those with custody in this token, and the position of the next page. */
async function readCustody(
  { database, deployment: current }: Dependencies,
  token: Address,
  block: number,
  before: Funding,
): Promise<{ orders: Custody[]; next: Funding | undefined }> {
  const { rows } = await database.execute<Funding & { orders: Custody[] | null }>(sql`
    with page as (
      select ${f.block}, ${f.intentId} from ${ledgerPosting} f
      where ${f.deploymentId} = ${current.id} and (${f.block}, ${f.intentId}) < (${before.block}::bigint, ${sql.param(before.intentId, f.intentId)})
      order by ${f.block} desc, ${f.intentId} desc limit ${POSTINGS}),
    held as (
      select ${p.intentId}, sum(${ON_CUSTODY}) as amount from ${ledgerPosting} p
      where ${p.intentId} in (select intent_id from page) and ${p.deploymentId} = ${current.id} and ${p.block} <= ${block}
      group by 1 having sum(${ON_CUSTODY}) <> 0)
    select page.block::text, ${intentIdText(sql`page.intent_id`)} as "intentId", (
      select json_agg(json_build_object('id', ${intentIdText(intent.id)}, 'order', ${hexText(intent.id)}, 'terms', ${intent.terms},
        'currency', ${intent.currency}, 'custody', h.amount::text) order by ${intent.createdAt} desc)
      from held h join ${intent} on ${intent.id} = h.intent_id
      where ${termsAddress(intent.terms, "token")} = ${token.toLowerCase()}) as orders
    from page order by page.block, page.intent_id limit 1`);
  const [last] = rows;
  return { orders: last?.orders ?? [], next: last };
}

/** Finds our orders on which the contract and the ledger disagree, from the newest down to a block. */
async function checkOrders(
  parts: Dependencies,
  token: Address,
  block: number,
  downTo: number,
): Promise<Finding[]> {
  const orders = new Map<string, Custody>();
  let next: Funding | undefined = { block: String(block + 1), intentId: "" };
  while (next && Number(next.block) > downTo && orders.size < MOST_ORDERS) {
    parts.signal?.throwIfAborted();
    const page: Awaited<ReturnType<typeof readCustody>> = await readCustody(parts, token, block, next);
    for (const order of page.orders) orders.set(order.id, order);
    next = page.next;
  }
  const asked = [...orders.values()].slice(0, MOST_ORDERS);
  const held = await each(asked, (order) => readHeld(parts, order, block));
  return asked.flatMap(({ id, order, currency, custody }, index): Finding[] => {
    const inContract = held[index] ?? 0n;
    if (inContract === BigInt(custody)) return [];
    return [
      {
        kind: "escrow_order",
        about: order,
        says:
          `For ${id}, the ledger has ${formatMoney(BigInt(custody), currency)} in custody, ` +
          `but the contract holds ${formatMoney(inContract, currency)} in block ${block}.`,
        ...buildStake(inContract - BigInt(custody), currency),
        identity: `${custody} ${inContract}`,
        subject: { check: "contract" },
      },
    ];
  });
}

/** Reads the amount that the contract holds for an order at a block. */
async function readHeld(
  { client, deployment: current }: Dependencies,
  { terms: stored }: Custody,
  block: number,
): Promise<bigint> {
  const terms = restoreTerms(unpackTerms(readBytes(stored)));
  const order = await askChain(() =>
    client.readContract({
      address: current.contract,
      abi: deliveryVsPaymentAbi,
      functionName: "getOrder",
      args: [terms],
      blockNumber: BigInt(block),
    }),
  );
  return BigInt(order.payer) === 0n ? 0n : terms.amount - order.refunded - order.disbursed;
}

/**
 * Checks that the contract holds the ledger's custody, the foreign orders' holdings, and the unclaimed credits.
 * @param downTo the block down to which orders are read if the amounts differ
 */
export async function compareContract(
  parts: Dependencies,
  known: KnownForeign,
  downTo: number,
): Promise<Finding[]> {
  const { client, deployment: current } = parts;
  const { block, custody, foreign, credits } = await read(parts, known);
  if (block === 0) return [];
  const blockNumber = BigInt(block);
  const ofToken = (token: Address, there: string | undefined) => there?.toLowerCase() === token.toLowerCase();

  async function check(token: Address): Promise<Finding[]> {
    const currency = findCurrency(current.tokens, token) ?? "USDC";
    const balance = await askChain(() =>
      client.readContract({
        address: token,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [current.contract],
        blockNumber,
      }),
    );
    const owed = await each(
      credits.filter((credit) => ofToken(token, credit.token)),
      ({ account }) =>
        askChain(() =>
          client.readContract({
            address: current.contract,
            abi: deliveryVsPaymentAbi,
            functionName: "creditOf",
            args: [account, token],
            blockNumber,
          }),
        ),
    );
    const parted = {
      custody: sum(
        custody.filter((c) => ofToken(token, current.tokens[c.currency])).map((c) => BigInt(c.amount)),
      ),
      foreign: sum(
        Object.entries(foreign)
          .filter(([held]) => ofToken(token, held))
          .map(([, amount]) => BigInt(amount)),
      ),
      credits: sum(owed),
    };
    const expected = sum(Object.values(parted));
    if (balance === expected) return [];
    const apart = balance - expected;
    const total: Finding = {
      ...(apart < 0n ? { kind: "contract_shortfall", token } : { kind: "contract_surplus" }),
      about: `${currency} ${current.contract}`,
      says:
        `Contract ${current.contract} holds ${formatMoney(balance, currency)} in block ${block}, but should hold ` +
        `${formatMoney(expected, currency)} (${formatMoney(parted.custody, currency)} in custody, ` +
        `${formatMoney(parted.foreign, currency)} in orders that are not this gateway's, ` +
        `${formatMoney(parted.credits, currency)} in credits that are not claimed yet): ` +
        (apart < 0n
          ? `${formatMoney(-apart, currency)} is missing.`
          : `${formatMoney(apart, currency)} was sent to it without an order.`),
      ...buildStake(apart, currency),
      identity: String(apart),
      subject: { check: "contract" },
    };
    return [total, ...(await checkOrders(parts, token, block, downTo))];
  }

  const tokens = [...new Set(Object.values(current.tokens))];
  return (await Promise.all(tokens.map(check))).flat();
}

/** Compares the contract with the holdings of foreign orders that the run has read before this check. */
export const compareContractInRun = ({ parts, scope: { sealed }, run }: Comparison): Promise<Finding[]> =>
  compareContract(parts, { block: run.target.block, amounts: run.target.foreign ?? {} }, sealed?.block ?? -1);

export const contract: Stage = {
  name: "contract",
  open(comparison) {
    const { parts, scope, run } = comparison;
    return async () => {
      const { sealed } = scope;
      if (sealed?.foreign && run.target.foreign === null) {
        const { target } = run;
        const amounts = await advanceForeign(parts, sealed.foreign, sealed.block, target.block);
        await keepForeign(parts.database, run, amounts);
      }
      return { found: await compareContractInRun(comparison), cursor: null };
    };
  },
};
