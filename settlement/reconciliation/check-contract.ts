// Compares the ledger with the contract's holdings, as of the block up to which the ledger is complete.
import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Address, erc20Abi, type Hex } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { hasBlock } from "#core/chain/has-block.ts";
import { hexText } from "#core/db/as-text.ts";
import { credit, order } from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import type { Currency } from "#core/money.ts";
import { compareOrders, each, onCustody } from "./check-orders.ts";
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

type Read = {
  /** The ledger's custody, by currency. */
  custody: { currency: Currency; amount: string }[];
  /** The change in the holdings of foreign orders after the block up to which they are known. */
  foreign: Amounts;
  credits: { account: Address; token: Address }[];
  /** The block of the latest change of an order in the indexer's tables; null without orders. */
  newest: { block: number; hash: Hex } | null;
};

/** The holdings of foreign orders up to a block. */
type KnownForeign = { block: number; amounts: Amounts };

const b = alias(ledgerBalance, "b");
const p = alias(ledgerPosting, "p");
const o = alias(order, "o");

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
              union all select ${p.currency}, -${onCustody(p)} from ${ledgerPosting} p
                where ${p.deploymentId} = ${deployment.id} and ${p.block} > ${deployment.ledgerBlock}) a group by 1) c),
          'foreign', (select coalesce(json_object_agg(${hexText(sql`f.token`)}, f.amount::text), '{}') from (${flow}) f),
          'credits', (select coalesce(json_agg(json_build_object('account', ${hexText(credit.account)}, 'token', ${hexText(credit.token)})), '[]') from ${credit}),
          'newest', (select json_build_object('block', ${o.updatedBlock}, 'hash', ${hexText(o.updatedBlockHash)})
            from ${order} o order by ${o.updatedBlock} desc limit 1)))`,
      })
      .from(deployment)
      .$dynamic(),
  ).where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment is not in the database.");
  await guard(row.snapshot);
  const { found } = row;
  return { block: row.block, ...found, foreign: addAmounts(known.amounts, found.foreign) };
}

/**
 * Whether the indexer's tables and the node show the same chain. After a reorg, the indexer shows the previous one until
 * it has read the new blocks.
 */
const isSameChain = async ({ client }: Dependencies, { newest }: Pick<Read, "newest">): Promise<boolean> =>
  newest === null || (await hasBlock(client, newest.block, newest.hash)) === true;

const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/**
 * Checks that the contract holds the ledger's custody, the foreign orders' holdings, and the unclaimed credits.
 * @param downTo the block down to which orders are read if the amounts differ
 */
export async function compareContract(
  parts: Dependencies,
  known: KnownForeign,
  downTo: number,
): Promise<Finding[]> {
  const { client, config, deployment: current } = parts;
  const { block, custody, foreign, credits, newest } = await read(parts, known);
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
    const orders = await compareOrders(parts, token, block, downTo);
    // On a network, the ledger ends at a finalized block. A simulated chain has none, so the ledger may have to follow a
    // deep reorg: until then, only what the contract cannot pay by its own records of the orders is certainly missing.
    const isCertainlyMissing =
      apart < 0n &&
      (!config.chain.simulated || (apart < orders.apart && (await isSameChain(parts, { newest }))));
    const total: Finding = {
      ...(apart < 0n ? { kind: "contract_shortfall" } : { kind: "contract_surplus" }),
      ...(isCertainlyMissing ? { token } : {}),
      about: `${currency} ${current.contract}`,
      says:
        `Contract ${current.contract} holds ${formatMoney(balance, currency)} in block ${block}, but should hold ` +
        `${formatMoney(expected, currency)} (${formatMoney(parted.custody, currency)} in custody, ` +
        `${formatMoney(parted.foreign, currency)} in orders that are not this gateway's, ` +
        `${formatMoney(parted.credits, currency)} in credits that are not claimed yet): ` +
        (apart < 0n
          ? `${formatMoney(-apart, currency)} is missing${isCertainlyMissing ? "" : ", unless a reorg explains it"}.`
          : `${formatMoney(apart, currency)} was sent to it without an order.`),
      ...buildStake(apart, currency),
      identity: `${apart}${apart < 0n && !isCertainlyMissing ? " uncertain" : ""}`,
      subject: { check: "contract" },
    };
    return [total, ...orders.found];
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
