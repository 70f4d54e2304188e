// An order names the last transaction that changed it, and the last one that did so by an operation. Settlements and
// withdrawals are not operations, so that the API recognizes its own call after them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { orderIdOf, RELEASE_TYPES, type ReleaseType } from "#core/chain/terms.ts";
import { order } from "#core/db/chain.ts";
import { connect, type Database } from "#core/db/client.ts";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { until } from "#scripts/shared/wait.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import { createChainClient, HASH_A, newPayer } from "#test/api/support/payments.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { makeForeignTerms } from "./support/foreign-terms.ts";

type Party = "payer" | "payee" | "operator" | "arbiter" | "deliveryOracle";
type Step = [functionName: string, caller: Party, ...args: unknown[]];

const AMOUNT = 1_000_000n;
const DAY = 86_400;

let stack: SharedStack;
let database: Database;

beforeAll(async () => {
  stack = await sharedStack();
  database = connect(stack.databaseUrl, { application: "test", max: 1 });
});
afterAll(async () => {
  await database?.$client.end();
  await stack?.stop();
});

/** Creates accounts of its own, so that the gateway is not involved. */
const makeParties = (): Record<Party, PrivateKeyAccount> => ({
  payer: newPayer(),
  payee: newPayer(),
  operator: newPayer(),
  arbiter: newPayer(),
  deliveryOracle: newPayer(),
});

/** Reads the block with which the indexer would remove an order, if a reorg removes the block. */
async function readUndoBlock(id: Hex): Promise<number | undefined> {
  const { rows: schemas } = await database.execute<{ name: string }>(
    sql`select table_schema as name from information_schema.tables where table_name = '_reorg__order'`,
  );
  const tables = schemas.map(
    ({ name }) => sql`select * from ${sql.identifier(name)}.${sql.identifier("_reorg__order")}`,
  );
  // Digits 27 to 42 of Ponder's checkpoints are the number of the block.
  const { rows } = await database.execute<{ block: string }>(sql`
    select substring(checkpoint from 27 for 16)::numeric as block from (${sql.join(tables, sql` union all `)}) t
    where ${sql.identifier("id")} = ${sql.param(id, order.id)} and operation = 0`);
  return rows[0] && Number(rows[0].block);
}

describe("an order names its last change and its last operation", () => {
  const table: Record<string, { type: ReleaseType; steps: Step[] }> = {
    "through shipment, dispute, resolution and settlement": {
      type: "DELIVERY_PROOF",
      steps: [
        ["createOrder", "payer"],
        ["markShipped", "deliveryOracle"],
        ["raiseDispute", "payer", DAY, "It is broken."],
        ["resolveDispute", "arbiter", AMOUNT / 2n],
        ["settle", "operator"],
      ],
    },
    "through proof, release and withdrawal": {
      type: "DELIVERY_PROOF",
      steps: [
        ["createOrder", "payer"],
        ["submitDeliveryProof", "deliveryOracle", HASH_A, ""],
        ["release", "payer"],
        ["withdraw", "payee"],
      ],
    },
    "through the release of a milestone, its settlement and the refund of the rest": {
      type: "MILESTONE_LOCKED",
      steps: [
        ["createOrder", "payer"],
        ["releaseMilestone", "payer", AMOUNT / 4n],
        ["settle", "operator"],
        ["refund", "payee", AMOUNT / 4n],
        ["refund", "payee", AMOUNT / 2n],
      ],
    },
  };
  for (const [title, { type, steps }] of Object.entries(table)) {
    test(title, async () => {
      const parties = makeParties();
      await setGasBalances(
        stack.rpcUrl,
        Object.values(parties).map(({ address }) => address),
      );
      const { operator, arbiter, deliveryOracle, payee } = parties;
      const terms = await makeForeignTerms(stack, {
        operator: operator.address,
        arbiter: arbiter.address,
        deliveryOracle: deliveryOracle.address,
        payee: payee.address,
        offRamp: payee.address,
        amount: AMOUNT,
        releaseType: RELEASE_TYPES.indexOf(type),
      });
      const id = orderIdOf(stack.chainId, stack.contractAddress, terms);
      const client = createChainClient(stack.rpcUrl);
      let operation: Hex | undefined;
      for (const [functionName, caller, ...args] of steps) {
        const hash = await client.writeContract({
          address: stack.contractAddress,
          abi: deliveryVsPaymentAbi as readonly unknown[],
          account: parties[caller],
          functionName,
          args: functionName === "settle" ? [groupForSettlement([terms])] : [terms, ...args],
        });
        if (functionName !== "settle" && functionName !== "withdraw") operation = hash;
        const row = await until(
          async () => {
            const [row] = await database.select().from(order).where(eq(order.id, id));
            return row?.updatedTxHash === hash ? row : null;
          },
          { what: `${functionName} being indexed`, timeoutMs: 20_000 },
        );
        expect(row.operationTxHash, functionName).toBe(operation as Hex);
        if (functionName === "createOrder") expect(await readUndoBlock(id)).toBe(row.createdBlock);
      }
    });
  }
});
