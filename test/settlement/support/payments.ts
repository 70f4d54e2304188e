// A running gateway without its API. Intents are inserted into the database, and payers call the contract directly.
import { eq, sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { connectChain } from "#core/chain/client.ts";
import type { Terms } from "#core/chain/terms.ts";
import { readConfig } from "#core/config/config.ts";
import { ponderCheckpoint } from "#core/db/chain.ts";
import { connect } from "#core/db/client.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { currentDeployment } from "#core/deployment/deployment.ts";
import type { IntentId } from "#core/ids.ts";
import { parseHead } from "#core/indexer-state/guard.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { until } from "#scripts/shared/wait.ts";
import type { SharedStack } from "#test/support/shared-stack.ts";
import { type Stack, type StackOptions, startStack } from "#test/support/stack.ts";
import { type IntentChange, insertIntent } from "./intents.ts";

/** Sufficient for every call by the payer, so that signing needs no gas estimate. */
const SIGNED_GAS = 500_000n;

/** Starts payments on a dedicated gateway. */
export const startPayments = async (options: StackOptions = {}): Promise<Payments> =>
  paymentsOn(await startStack({ roles: ["indexer", "settlement"], ...options }));

/** Opens payments on a running gateway. Closing them stops the gateway. */
export async function paymentsOn<S extends SharedStack>(stack: S) {
  const config = readConfig(stack.environment);
  const database = connect(config.databaseUrl, { application: "payments" });
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const payer = privateKeyToAccount(stack.payer.privateKey);
  const control = localChainClient(stack.rpcUrl, payer);
  const [merchant] = stack.merchants;
  if (!merchant) throw new Error("The stack has no merchant.");
  const { operator, offRamp } = config;
  const parties = { merchantId: merchant.merchantId, payee: merchant.account, operator, offRamp };

  async function asPayer(functionName: "createOrder" | "release", terms: Terms): Promise<void> {
    const hash = await control.writeContract({
      address: deployment.contract,
      abi: deliveryVsPaymentAbi,
      functionName,
      args: [terms],
      account: payer,
    });
    const { status } = await control.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`${functionName} was reverted.`);
  }

  /** Returns the payer's signed transaction. */
  async function signed(functionName: "createOrder" | "release", terms: Terms): Promise<Hex> {
    const request = await control.prepareTransactionRequest({
      account: payer,
      to: deployment.contract,
      data: encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName, args: [terms] }),
      gas: SIGNED_GAS,
    });
    return control.signTransaction(request);
  }

  const statusOf = async (id: IntentId) => {
    const [row] = await database
      .select({ status: intent.lastEmittedStatus })
      .from(intent)
      .where(eq(intent.id, id));
    return row?.status;
  };

  return {
    stack,
    config,
    database,
    control,
    deployment,
    payer,
    addIntent: (more?: IntentChange, change?: Partial<Terms>) =>
      insertIntent(database, deployment, parties, more, change),
    fund: (terms: Terms) => asPayer("createOrder", terms),
    release: (terms: Terms) => asPayer("release", terms),
    signed,
    statusOf,
    reaches: (id: IntentId, status: IntentStatus, timeoutMs = 30_000) =>
      until(async () => (await statusOf(id)) === status, { what: `${id} being ${status}`, timeoutMs }),
    async eventsOf(id: IntentId): Promise<string[]> {
      const rows = await database.select().from(event).where(eq(event.intentId, id)).orderBy(event.createdAt);
      return rows.map((row) => row.type.replace("payment_intent.", ""));
    },
    payoutsOf: (id: IntentId) => database.select().from(payout).where(eq(payout.intentId, id)),
    /** Stops interval mining, and waits until the indexer has seen all blocks. */
    async standStill(): Promise<void> {
      await control.setIntervalMining({ interval: 0 });
      await until(
        async () => {
          const [checkpoint] = await database.select().from(ponderCheckpoint);
          const tip = await control.getBlockNumber({ cacheTime: 0 });
          return checkpoint !== undefined && BigInt(parseHead(checkpoint.latestCheckpoint).block) === tip;
        },
        { what: "The indexer at the chain's tip", timeoutMs: 30_000 },
      );
    },
    /** Reverts the chain to a snapshot, and resumes mining from there. */
    async goBackTo(snapshot: Hex): Promise<void> {
      await control.revert({ id: snapshot });
      await control.setIntervalMining({ interval: config.chain.blockTime });
    },
    /** Returns the total number of transfers that the mock bank has accepted. */
    async transfers(): Promise<number> {
      const { rows } = await database.execute<{ count: number }>(
        sql`select count(*)::int as count from mock_bank.transfer`,
      );
      return rows[0]?.count ?? 0;
    },
    balance: (token: `0x${string}`, account: `0x${string}`): Promise<bigint> =>
      control.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
    async close() {
      await database.$client.end();
      await stack.stop();
    },
  };
}

export type Payments<S extends SharedStack = Stack> = Awaited<ReturnType<typeof paymentsOn<S>>>;
