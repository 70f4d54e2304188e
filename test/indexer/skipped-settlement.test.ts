// Readers can see an order that a batch skips, with the contract's reason.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { decodeErrorResult, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { orderIdOf } from "#core/chain/terms.ts";
import { settlementSkip } from "#core/db/chain.ts";
import { connect, type Database } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import { createChainClient } from "#test/api/support/payments.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { makeForeignTerms } from "./support/foreign-terms.ts";

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

test("a batch that skips an order records the reason each time, but nothing for orders that were never funded", async () => {
  const account = privateKeyToAccount(stack.payer.privateKey);
  const chain = createChainClient(stack.rpcUrl);
  // A separate operator, so that the gateway's own operator is not involved.
  const terms = await makeForeignTerms(stack, {
    operator: account.address,
    payee: stack.oracle.address,
    offRamp: stack.oracle.address,
  });
  const contract = { address: stack.contractAddress, abi: deliveryVsPaymentAbi, account } as const;
  await mined(await chain.writeContract({ ...contract, functionName: "createOrder", args: [terms] }));
  const orderId = orderIdOf(stack.chainId, stack.contractAddress, terms);
  for (const times of [1, 2]) {
    const neverFunded = { ...terms, salt: toHex(crypto.getRandomValues(new Uint8Array(32))) };
    const hash = await chain.writeContract({
      ...contract,
      functionName: "settle",
      args: [groupForSettlement([neverFunded, terms])],
    });
    await mined(hash);
    await until(async () => (await skipOf(orderId))?.skipCount === times, {
      what: "The skip being indexed",
      timeoutMs: 20_000,
    });
    const skip = await skipOf(orderId);
    expect(skip).toMatchObject({ txHash: hash });
    expect(await skipOf(orderIdOf(stack.chainId, stack.contractAddress, neverFunded))).toBeUndefined();
    expect(decodeErrorResult({ abi: deliveryVsPaymentAbi, data: skip?.reason ?? "0x" }).errorName).toBe(
      "NothingReleased",
    );
  }

  async function mined(hash: `0x${string}`) {
    expect((await chain.waitForTransactionReceipt({ hash })).status).toBe("success");
  }
});

async function skipOf(orderId: `0x${string}`) {
  const [row] = await database.select().from(settlementSkip).where(eq(settlementSkip.orderId, orderId));
  return row;
}
