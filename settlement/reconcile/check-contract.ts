// The ledger against what the contract holds, in the block up to which the ledger is complete.
import { eq, sql } from "drizzle-orm";
import { type Address, erc20Abi } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { restoreTerms, type StoredTerms } from "#core/chain/terms.ts";
import { inSlices } from "#core/db/batch.ts";
import { deployment } from "#core/db/schema.ts";
import { withWitness, witnessFields } from "#core/db/witness.ts";
import { CURRENCIES, type Currency } from "#core/money.ts";
import { currencyOf, type Discrepancy, money } from "./discrepancy.ts";
import type { Parts } from "./scope.ts";

/** Orders that the contract is asked about one by one, when its balance is not explained. */
const MOST_ORDERS = 1_000;
const AT_ONCE = 20;

type Read = {
  /** What the ledger has in custody, by currency. */
  custody: { currency: Currency; amount: string }[];
  /** What is left of orders that nobody asked this gateway for: anyone may use the contract. */
  foreign: { token: string; amount: string }[];
  credits: { account: Address; token: Address }[];
};

/** A posting's effect on custody. */
const ON_CUSTODY = sql`case 'custody' when p.to_account then p.amount when p.from_account then -p.amount else 0 end`;

async function read({ database, guard, deployment: current }: Parts) {
  const [row] = await withWitness(
    database
      .select({
        witness: witnessFields,
        block: deployment.ledgerBlock,
        found: sql<Read>`(select json_build_object(
          'custody', (select coalesce(json_agg(json_build_object('currency', c.currency, 'amount', c.amount::text)), '[]') from (
            select currency, sum(amount) as amount from (
              select currency, amount from gateway.ledger_balance
                where deployment_id = ${deployment.id} and account = 'custody'
              union all select p.currency, -${ON_CUSTODY} from gateway.ledger_posting p
                where p.deployment_id = ${deployment.id} and p.block > ${deployment.ledgerBlock}) a group by 1) c),
          'foreign', (select coalesce(json_agg(json_build_object('token', f.token, 'amount', f.amount::text)), '[]') from (
            select o.token, sum(o.amount
              - (select coalesce(sum(r.amount), 0) from chain.refund r
                  where r.order_id = o.id and r.block <= ${deployment.ledgerBlock})
              - (select coalesce(sum(s.amount), 0) from chain.settlement s
                  where s.order_id = o.id and s.block <= ${deployment.ledgerBlock})
              - (select coalesce(sum(w.amount), 0) from chain.withdrawal w
                  where w.order_id = o.id and w.block <= ${deployment.ledgerBlock})) as amount
            from chain."order" o where o.created_block <= ${deployment.ledgerBlock} and not exists (
              select from gateway.intent i where i.order_id = o.id and i.deployment_id = ${deployment.id})
            group by 1) f),
          'credits', (select coalesce(json_agg(json_build_object('account', account, 'token', token)), '[]') from chain.credit)))`,
      })
      .from(deployment)
      .$dynamic(),
  ).where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment has vanished.");
  await guard(row.witness);
  return { block: row.block, ...row.found };
}

const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Runs a question for each, some at a time. */
async function each<T, R>(items: T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const some of inSlices(items, AT_ONCE)) answers.push(...(await Promise.all(some.map(ask))));
  return answers;
}

/** Which of our orders the contract holds another amount of than the ledger. */
async function checkOrders(
  { database, client, deployment: current }: Parts,
  token: Address,
  block: number,
): Promise<Discrepancy[]> {
  type Row = { id: string; order: `0x${string}`; terms: StoredTerms; currency: Currency; custody: string };
  const { rows } = await database.execute<Row>(sql`
    select i.id, i.order_id as order, i.terms, i.currency, c.amount::text as custody from (
      select p.intent_id, sum(${ON_CUSTODY}) as amount from gateway.ledger_posting p
      where p.deployment_id = ${current.id} and p.block <= ${block} group by 1 having sum(${ON_CUSTODY}) <> 0) c
    join gateway.intent i on i.id = c.intent_id
    where lower(i.terms ->> 'token') = ${token.toLowerCase()} order by i.created_at desc limit ${MOST_ORDERS}`);
  const held = await each(rows, async ({ terms: stored }) => {
    const terms = restoreTerms(stored);
    const order = await askChain(() =>
      client.readContract({
        address: current.contract,
        abi: deliveryVsPaymentAbi,
        functionName: "getOrder",
        args: [terms],
        blockNumber: BigInt(block),
      }),
    );
    if (BigInt(order.payer) === 0n) return 0n;
    return terms.amount - order.refunded - order.disbursed;
  });
  return rows.flatMap(({ id, order, currency, custody }, index): Discrepancy[] => {
    const inContract = held[index] ?? 0n;
    if (inContract === BigInt(custody)) return [];
    return [
      {
        kind: "escrow_order",
        about: order,
        says:
          `Of ${id} the ledger has ${money(BigInt(custody), currency)} in custody, ` +
          `the contract ${money(inContract, currency)} in block ${block}.`,
      },
    ];
  });
}

/** That the contract holds what the ledger has in custody, what others have there, and what waits to be claimed. */
export async function checkContract(parts: Parts): Promise<Discrepancy[]> {
  const { client, deployment: current } = parts;
  const { block, custody, foreign, credits } = await read(parts);
  if (block === 0) return [];
  const blockNumber = BigInt(block);
  const ofToken = (token: Address, there: string) => there.toLowerCase() === token.toLowerCase();

  async function check(token: Address): Promise<Discrepancy[]> {
    const currency = currencyOf(current.tokens, token) ?? "USDC";
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
      foreign: sum(foreign.filter((f) => ofToken(token, f.token)).map((f) => BigInt(f.amount))),
      credits: sum(owed),
    };
    const expected = sum(Object.values(parted));
    if (balance === expected) return [];
    const apart = balance - expected;
    const total: Discrepancy = {
      ...(apart < 0n ? { kind: "contract_shortfall", token } : { kind: "contract_surplus" }),
      about: `${currency} ${current.contract}`,
      says:
        `Contract ${current.contract} holds ${money(balance, currency)} in block ${block} and should hold ` +
        `${money(expected, currency)} (${money(parted.custody, currency)} in custody, ` +
        `${money(parted.foreign, currency)} of orders that are not this gateway's, ` +
        `${money(parted.credits, currency)} that wait to be claimed): ` +
        (apart < 0n
          ? `${money(-apart, currency)} are missing.`
          : `${money(apart, currency)} too much, which somebody has sent there.`),
    };
    return [total, ...(await checkOrders(parts, token, block))];
  }

  const tokens = [...new Set(CURRENCIES.map((currency) => current.tokens[currency]))];
  return (await Promise.all(tokens.map(check))).flat();
}
