// Compares the ledger's custody of single orders with the contract's own records of them.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Address } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { unpackTerms } from "#core/chain/pack-terms.ts";
import { restoreTerms } from "#core/chain/terms.ts";
import { hexText, intentIdText, termsAddress } from "#core/db/as-text.ts";
import { inSlices } from "#core/db/batch.ts";
import { readBytes } from "#core/db/schema/columns.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import type { Currency } from "#core/money.ts";
import { buildStake, type Finding, formatMoney } from "./discrepancy.ts";
import type { Dependencies } from "./scope.ts";

const AT_ONCE = 20;
/** Maximum number of orders that are read from the contract one by one if its balance cannot be explained. */
const MOST_ORDERS = 1_000;

/** Number of postings that are read at a time to find these orders. */
const POSTINGS = 1_000;

/** One of our orders for which the ledger has funds in custody. */
type Custody = { id: string; order: `0x${string}`; terms: string; currency: Currency; custody: string };

/** The position of a posting, in descending order. */
type Funding = { block: string; intentId: string };

const f = alias(ledgerPosting, "f");
const p = alias(ledgerPosting, "p");

/** Returns SQL for a posting's effect on custody. */
export const onCustody = (posting: typeof p): SQL =>
  sql`case 'custody' when ${posting.toAccount} then ${posting.amount} when ${posting.fromAccount} then -${posting.amount} else 0 end`;

/** Runs a query for each item, several at a time. */
export async function each<T, R>(items: T[], ask: (item: T) => Promise<R>): Promise<R[]> {
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
      select ${p.intentId}, sum(${onCustody(p)}) as amount from ${ledgerPosting} p
      where ${p.intentId} in (select intent_id from page) and ${p.deploymentId} = ${current.id} and ${p.block} <= ${block}
      group by 1 having sum(${onCustody(p)}) <> 0)
    select page.block::text, ${intentIdText(sql`page.intent_id`)} as "intentId", (
      select json_agg(json_build_object('id', ${intentIdText(intent.id)}, 'order', ${hexText(intent.id)}, 'terms', ${intent.terms},
        'currency', ${intent.currency}, 'custody', h.amount::text) order by ${intent.createdAt} desc)
      from held h join ${intent} on ${intent.id} = h.intent_id
      where ${termsAddress(intent.terms, "token")} = ${token.toLowerCase()}) as orders
    from page order by page.block, page.intent_id limit 1`);
  const [last] = rows;
  return { orders: last?.orders ?? [], next: last };
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
 * Finds our orders on which the contract and the ledger disagree, from the newest down to a block.
 * @returns the findings, and by how much the contract holds more for these orders than the ledger
 */
export async function compareOrders(
  parts: Dependencies,
  token: Address,
  block: number,
  downTo: number,
): Promise<{ found: Finding[]; apart: bigint }> {
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
  const found: Finding[] = [];
  let apart = 0n;
  for (const [index, { id, order, currency, custody }] of asked.entries()) {
    const inContract = held[index] ?? 0n;
    const difference = inContract - BigInt(custody);
    if (difference === 0n) continue;
    apart += difference;
    found.push({
      kind: "escrow_order",
      about: order,
      says:
        `For ${id}, the ledger has ${formatMoney(BigInt(custody), currency)} in custody, ` +
        `but the contract holds ${formatMoney(inContract, currency)} in block ${block}.`,
      ...buildStake(difference, currency),
      identity: `${custody} ${inContract}`,
      subject: { check: "contract" },
    });
  }
  return { found, apart };
}
