// A shortfall de-lists its token. On a simulated chain, which has no finalized blocks, the ledger or the indexer can still
// have what a deep reorg has removed: there, it does so only if the contract cannot pay what it owes by its own records.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { desc } from "drizzle-orm";
import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  hexToNumber,
  isAddressEqual,
  numberToHex,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { reconciliationDifference } from "#core/db/schema/operations.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { createScheduledReconciler } from "#settlement/reconciliation/on-schedule.ts";
import { blockAt } from "#test/settlement/support/fake-rpc.ts";
import type { TestIntent } from "#test/settlement/support/intents.ts";
import { CONTRACT, PAYER, USDC } from "#test/settlement/support/world.ts";
import { type Books, openBooks } from "./support/books.ts";

const ORDER = 100_000_000n;
const NOBODY: Address = `0x${"0".repeat(40)}`;

/** The chain as the node has it. An order is identified by its salt. */
const node = { balance: 0n, head: 0, forkedAt: Infinity, gone: new Set<Hex>() };

const unchanged = {
  ...{ payer: PAYER, deliveryDeadline: 2_000_000_000, disputeDeadline: 0, status: 0, proven: false },
  ...{ statusBeforeDispute: 0, disputeSide: 0, disputedByPayer: false, disputedByMerchant: false },
  ...{ withdrawn: false, released: 0n, disbursed: 0n, refunded: 0n },
} as const;

function answerCall([call]: unknown[]): Hex {
  const { to, data } = call as { to: Address; data: Hex };
  const word = (value: bigint) => numberToHex(value, { size: 32 });
  if (isAddressEqual(to, CONTRACT)) {
    const { functionName, args } = decodeFunctionData({ abi: deliveryVsPaymentAbi, data });
    if (functionName !== "getOrder") return word(0n);
    const isGone = node.gone.has(args[0].salt);
    const result = { ...unchanged, payer: isGone ? NOBODY : PAYER };
    return encodeFunctionResult({ abi: deliveryVsPaymentAbi, functionName, result });
  }
  const [holder] = decodeFunctionData({ abi: erc20Abi, data }).args as [Address];
  if (!isAddressEqual(holder, CONTRACT)) return word(10n ** 30n);
  return word(isAddressEqual(to, USDC) ? node.balance : 0n);
}

function answerBlock([tag]: unknown[]) {
  const block = tag === "finalized" ? node.head : hexToNumber(tag as Hex);
  if (block > node.head) return null;
  return blockAt(block, block < node.forkedAt ? 0 : 1);
}

let books: Books;
let delisted: Address[];

beforeAll(async () => {
  books = await openBooks({
    answers: {
      eth_call: answerCall,
      eth_getBlockByNumber: answerBlock,
    },
  });
  books.context.guardian = {
    ...({} as NonNullable<Books["context"]["guardian"]>),
    delist: async (token) => {
      delisted.push(token);
    },
  };
});
beforeEach(async () => {
  await books.begin();
  delisted = [];
  Object.assign(node, { head: books.at(7), forkedAt: Infinity, gone: new Set() });
});
afterAll(() => books.close());

/** Funds two orders that the ledger has posted, with the balance that the contract then has. */
async function fundTwo(): Promise<[TestIntent, TestIntent]> {
  const two: [TestIntent, TestIntent] = [await books.funded(1), await books.funded(2)];
  await books.postAt(7);
  node.balance += 2n * ORDER;
  return two;
}

async function runSchedule(context = books.context): Promise<Record<string, number>> {
  await books.database.delete(reconciliation);
  await createScheduledReconciler(context, 0)();
  const [last] = await books.database.select().from(reconciliation).orderBy(desc(reconciliation.id)).limit(1);
  return last?.differences ?? {};
}

/** Returns a client with which this happens before the contract's USDC balance is read for the second time. */
function onSecondLook(happen: () => void | Promise<void>): Books["context"]["client"] {
  const { client } = books.context;
  let looks = 0;
  return {
    ...client,
    async readContract(asked: Parameters<typeof client.readContract>[0]) {
      const isLook = asked.functionName === "balanceOf" && isAddressEqual(asked.address as Address, USDC);
      const [holder] = (asked.args ?? []) as readonly Address[];
      if (isLook && holder && isAddressEqual(holder, CONTRACT) && ++looks === 2) await happen();
      return client.readContract(asked);
    },
  } as typeof client;
}

describe("a contract that holds less than the ledger says", () => {
  it("has its token de-listed if its own records say that the funds should be there", async () => {
    await fundTwo();
    node.balance -= 1n;
    expect(await runSchedule()).to.deep.equal({ contract_shortfall: 1 });
    expect(delisted).to.deep.equal([USDC]);
    node.balance += 1n;
    expect(await runSchedule()).to.deep.equal({});
  });

  it("has its token de-listed on a network with finalized blocks, also if its own records say otherwise", async () => {
    const [, removed] = await fundTwo();
    node.gone.add(removed.terms.salt);
    node.balance -= ORDER;
    const { config } = books.context;
    const network = { ...books.context, config: { ...config, chain: { ...config.chain, simulated: false } } };
    expect(await runSchedule(network)).to.deep.equal({ contract_shortfall: 1, escrow_order: 1 });
    expect(delisted).to.deep.equal([USDC]);
    node.balance += ORDER;
  });
});

describe("a contract that holds less than the ledger says because of a reorg on a simulated chain", () => {
  it("keeps its token listed if it does not have the missing order itself, and only then", async () => {
    const [, removed] = await fundTwo();
    node.gone.add(removed.terms.salt);
    node.balance -= ORDER;
    expect(await runSchedule()).to.deep.equal({ contract_shortfall: 1, escrow_order: 1 });
    expect(delisted).to.deep.equal([]);

    // The rest is missing although no order accounts for it.
    node.balance -= 1n;
    expect(await runSchedule()).to.deep.equal({ contract_shortfall: 1, escrow_order: 1 });
    expect(delisted).to.deep.equal([USDC]);
    node.balance += 1n + ORDER;
    node.gone.clear();
    expect(await runSchedule()).to.deep.equal({});
  });

  it("keeps its token listed while the indexer shows a foreign order that the node no longer has", async () => {
    const [{ terms }] = await fundTwo();
    const foreign: Hex = `0x${"fe".repeat(32)}`;
    await books.chain.fund(foreign, { ...terms, amount: 7n }, books.at(3), PAYER);
    node.forkedAt = books.at(3);
    expect(await runSchedule()).to.deep.equal({ contract_shortfall: 1 });
    expect(delisted).to.deep.equal([]);

    // The indexer follows the node.
    await books.chain.removeOrder(foreign);
    expect(await runSchedule()).to.deep.equal({});
    node.balance -= 1n;
    await runSchedule();
    expect(delisted).to.deep.equal([USDC]);
    node.balance += 1n;
  });

  it("keeps its token listed while the node has not reached the indexer's blocks", async () => {
    await fundTwo();
    node.balance -= ORDER;
    node.head = books.at(1);
    expect(await runSchedule()).to.deep.equal({ contract_shortfall: 1 });
    expect(delisted).to.deep.equal([]);
    node.balance += ORDER;
  });

  it("keeps its token listed if the indexer no longer shows the node's chain in the second look", async () => {
    await fundTwo();
    node.balance -= 1n;
    const reorging = onSecondLook(() => {
      node.forkedAt = books.at(2);
    });
    expect(await runSchedule({ ...books.context, client: reorging })).to.deep.equal({
      contract_shortfall: 1,
    });
    expect(delisted).to.deep.equal([]);
    node.forkedAt = Infinity;
    await runSchedule();
    expect(delisted).to.deep.equal([USDC]);
    node.balance += 1n;
  });

  it("has its token de-listed although an operator has acknowledged the same amount as explained by a reorg", async () => {
    const [, removed] = await fundTwo();
    node.gone.add(removed.terms.salt);
    node.balance -= ORDER;
    await runSchedule();
    expect(delisted).to.deep.equal([]);
    await books.database
      .update(reconciliationDifference)
      .set({ acknowledgedAt: new Date(), acknowledgedBy: "Ada", reason: "a reorg" });
    expect(await runSchedule()).to.deep.equal({});
    // The contract has the order again, but not its funds.
    node.gone.clear();
    expect(await runSchedule()).to.deep.equal({ contract_shortfall: 1 });
    expect(delisted).to.deep.equal([USDC]);
    node.balance += ORDER;
  });

  it("keeps its token listed if the ledger follows the reorg during the second look", async () => {
    const [, removed] = await fundTwo();
    await books.chain.removeOrder(removed.orderId);
    node.gone.add(removed.terms.salt);
    node.balance -= ORDER;
    let posted = 0;
    const racing = onSecondLook(async () => {
      posted++;
      await books.post();
    });
    expect(await runSchedule({ ...books.context, client: racing })).to.have.property("contract_shortfall", 1);
    expect(posted).to.equal(1);
    expect(delisted).to.deep.equal([]);
    expect(await runSchedule()).to.deep.equal({});
  });
});
