// Sends calls to the chain as the operator, each exactly once. The nonce is taken under a row lock, the signed
// transaction is stored before it is broadcast, and every attempt is kept.
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { encodeFunctionData, type Hex, keccak256 } from "viem";
import { deliveryVsPaymentAbi } from "../chain/abi/delivery-vs-payment.ts";
import { askChain, type ChainClient, isUnreachable } from "../chain/client.ts";
import type { Config } from "../config/config.ts";
import { createSwitches, isSwitchedOff, type Switches } from "../controls/switches.ts";
import type { Database, Transaction } from "../db/client.ts";
import {
  signer,
  type TransactionPurpose,
  transaction,
  transactionAttempt,
  transactionOrder,
} from "../db/schema/transactions.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { serviceUnavailable } from "../errors.ts";
import { newId, type OrderId } from "../ids.ts";
import { attemptsUpTo, broadcast } from "./broadcast.ts";
import { bumpFees, capFees, type Fees, isWorthRaising, replaces, suggestFees } from "./fees.ts";
import { type Call, parseCall } from "./parse-call.ts";
import { createSigner, type OperatorSigner } from "./signer.ts";

/** A call to the contract that would succeed now, and its cost. */
export type PreparedCall = Call & {
  purpose: TransactionPurpose;
  orderIds: OrderId[];
  fees: Fees;
  /** The operator's transaction count on chain, including pending transactions. */
  nonceOnChain: number;
};

export type StoredAttempt = { transactionId: string; hash: Hex; raw: Hex; nonce: number };

type StoredTransaction = typeof transaction.$inferSelect;

/**
 * The gas limit in percent of the estimate. The margin is needed because the state at execution may differ from the
 * simulated one.
 */
const GAS_LIMIT_PERCENT = 130n;

/** Maximum number of nonces to fill at once. The rest of a longer gap waits for the next run. */
const FILLED_AT_ONCE = 20;

export class Relayer {
  readonly account: OperatorSigner;
  /** The maximum gas price, in wei. */
  private readonly ceiling: bigint | undefined;
  private readonly key: Pick<StoredTransaction, "deploymentId" | "signer">;
  private readonly switches: Switches;
  /** A condition that selects the transactions of this key. */
  private readonly isOurs: SQL | undefined;

  constructor(
    readonly database: Database,
    readonly client: ChainClient,
    readonly deployment: Deployment,
    config: Pick<Config, "operator" | "signing" | "chain">,
    private readonly onProblem: (problem: string, error: unknown) => void = () => undefined,
    /** The guardian protects funds, so it works even while operators have switched relaying off. */
    private readonly obeys: "switch" | "nothing" = "switch",
  ) {
    this.switches = createSwitches(database);
    this.account = createSigner(config);
    this.ceiling = config.chain.maxFeePerGas;
    this.key = { deploymentId: deployment.id, signer: this.account.address };
    this.isOurs = and(
      eq(transaction.deploymentId, deployment.id),
      eq(transaction.signer, this.account.address),
    );
  }

  /**
   * Simulates a call by the operator and estimates its gas.
   * @throws viem's ContractFunctionExecutionError if the contract would revert, ServiceError 503 if no node responds
   */
  async prepare(
    purpose: TransactionPurpose,
    orderIds: OrderId[],
    call: { functionName: string; args: readonly unknown[] },
  ): Promise<PreparedCall> {
    const request = {
      abi: deliveryVsPaymentAbi,
      address: this.deployment.contract,
      account: this.account.address,
      functionName: call.functionName,
      args: call.args,
      // Callers pass the function and its arguments untyped; encoding checks them against the ABI.
    } as unknown as Parameters<ChainClient["estimateContractGas"]>[0];
    const [estimate, fees, nonceOnChain] = await askChain(() =>
      Promise.all([
        this.client.estimateContractGas(request),
        suggestFees(this.client),
        this.client.getTransactionCount({ address: this.account.address, blockTag: "pending" }),
      ]),
    );
    return {
      purpose,
      orderIds,
      to: this.deployment.contract,
      data: encodeFunctionData(request as Parameters<typeof encodeFunctionData>[0]),
      gas: (estimate * GAS_LIMIT_PERCENT) / 100n,
      fees: capFees(fees, this.ceiling),
      nonceOnChain,
    };
  }

  /**
   * Takes the next nonce, signs the call and stores it, all in the caller's transaction. Broadcast the attempt after
   * the transaction has committed.
   * @throws ServiceError 503 while relaying is switched off
   */
  async store(tx: Transaction, call: PreparedCall): Promise<StoredAttempt> {
    if (this.obeys === "switch" && (await isSwitchedOff(tx, "relaying"))) {
      throw serviceUnavailable("Relaying is switched off.");
    }
    const nonce = await this.takeNonce(tx, call.nonceOnChain);
    const id = newId("tx");
    const { purpose, to, data, gas } = call;
    await tx.insert(transaction).values({ ...this.key, id, nonce, purpose });
    const orders = call.orderIds.map((orderId) => ({ transactionId: id, orderId, purpose }));
    if (orders.length > 0) await tx.insert(transactionOrder).values(orders);
    return this.storeAttempt(tx, { id, nonce, to, data, gas }, call.fees);
  }

  /**
   * Signs no-op transactions for nonces without a stored transaction, so that later transactions can be mined. The
   * resolver broadcasts them.
   * @param from the first nonce that the chain has not used
   * @param below the first later nonce with a pending transaction
   * @throws NotSigned at the first one that the signer does not sign
   */
  async fillGap(from: number, below: number): Promise<void> {
    if (await this.isStopped()) return;
    const { address } = this.account;
    const free = await this.database.execute<{ nonce: number }>(sql`
      select nonce from generate_series(${from}::int, ${below - 1}::int) nonce
      where not exists (select from ${transaction} where ${this.isOurs} and ${transaction.nonce} = nonce.nonce)
      order by nonce limit ${FILLED_AT_ONCE}`);
    if (free.rows.length === 0) return;
    const [gas, suggested] = await askChain(() =>
      Promise.all([this.client.estimateGas({ account: address, to: address }), suggestFees(this.client)]),
    );
    for (const { nonce } of free.rows) {
      await this.database.transaction(async (tx) => {
        const id = newId("tx");
        const stored = await tx
          .insert(transaction)
          .values({ ...this.key, id, nonce, purpose: "fill_nonce" })
          // Another replica has already filled the nonce.
          .onConflictDoNothing()
          .returning();
        const filler = { id, nonce, to: address, data: "0x", gas } as const;
        if (stored.length > 0) await this.storeAttempt(tx, filler, capFees(suggested, this.ceiling));
      });
    }
  }

  /**
   * Signs a stored transaction again with a higher fee and the same nonce and purpose.
   * @returns the new attempt, or the latest one if it is too recent, is no longer pending, or already offers a
   * sufficient fee
   * @throws NotSigned if the signer does not sign the new one
   */
  async replace(
    stored: StoredTransaction,
    stuckAfterMs: number,
  ): Promise<Pick<StoredAttempt, "hash" | "raw">> {
    const stopped = await this.isStopped();
    const suggested = await askChain(() => suggestFees(this.client));
    return this.database.transaction(async (tx) => {
      // Two replicas may find the transaction stuck concurrently. The second one then finds the recent attempt of the
      // first one.
      const [row] = await tx
        .select({ state: transaction.state })
        .from(transaction)
        .where(eq(transaction.id, stored.id))
        .for("update");
      const [latest] = await tx
        .select()
        .from(transactionAttempt)
        .where(eq(transactionAttempt.transactionId, stored.id))
        .orderBy(desc(transactionAttempt.createdAt))
        .limit(1);
      if (!latest) throw new Error(`Transaction ${stored.id} has no attempt.`);
      const young = Date.now() - latest.createdAt.getTime() <= stuckAfterMs;
      if (stopped || young || row?.state !== "pending" || !isWorthRaising(latest, suggested)) return latest;
      const raised = capFees(bumpFees(latest, suggested), this.ceiling);
      const { id, nonce } = stored;
      return replaces(raised, latest)
        ? this.storeAttempt(tx, { id, nonce, ...parseCall(latest.raw) }, raised)
        : latest;
    });
  }

  /**
   * Broadcasts a signed transaction. A broadcast failure is not a failure of the call: the transaction is stored, and
   * is rebroadcast until it is final (settlement/escrow/resolve-transactions.ts).
   */
  async broadcast(attempt: Pick<StoredAttempt, "raw" | "nonce">): Promise<void> {
    if (await this.send(attempt.raw, () => undefined)) return;
    const earlier = await attemptsUpTo(this.database, { ...this.key, nonce: attempt.nonce });
    for (const { raw } of earlier) await this.send(raw);
  }

  /**
   * Broadcasts one raw transaction.
   * @returns false if the chain neither accepted the transaction nor already has it
   */
  async send(raw: Hex, onProblem = this.onProblem): Promise<boolean> {
    // The transaction is stored, and is broadcast once relaying is switched on again.
    if (await this.isStopped()) return true;
    const { outcome, error } = await broadcast(this.client, raw);
    if (outcome !== "refused") return true;
    onProblem(isUnreachable(error) ? "chain unreachable" : "broadcast rejected", error);
    return false;
  }

  /** Whether operators have switched relaying off. The cached state is at most one second old. */
  private isStopped(): Promise<boolean> {
    return this.obeys === "switch" ? this.switches.isOff("relaying") : Promise.resolve(false);
  }

  /**
   * Never returns a nonce that is stored or that the chain has used, because a failover may have lost the signer's row
   * or its latest changes.
   */
  private async takeNonce(tx: Transaction, onChain: number): Promise<number> {
    const { deploymentId, signer: address } = this.key;
    const stored = tx
      .select({ next: sql`max(${transaction.nonce}) + 1` })
      .from(transaction)
      .where(this.isOurs);
    const free = sql`greatest(${onChain}::int, (${stored}))`;
    const [row] = await tx
      .insert(signer)
      .values({ deploymentId, address, nextNonce: sql`${free} + 1` })
      .onConflictDoUpdate({
        target: [signer.deploymentId, signer.address],
        set: { nextNonce: sql`greatest(${signer.nextNonce} + 1, excluded.next_nonce)` },
      })
      .returning();
    if (!row) throw new Error("The signer's row was deleted while its nonce was being assigned.");
    return row.nextNonce - 1;
  }

  private async storeAttempt(
    tx: Transaction,
    stored: Pick<StoredTransaction, "id" | "nonce"> & Call,
    fees: Fees,
  ): Promise<StoredAttempt> {
    const { id, nonce, to, data, gas } = stored;
    const raw = await this.account.signTransaction({
      type: "eip1559",
      chainId: this.deployment.chainId,
      nonce,
      to,
      data,
      gas,
      ...fees,
    });
    const hash = keccak256(raw);
    await tx.insert(transactionAttempt).values({ hash, transactionId: id, raw, ...fees });
    return { transactionId: id, hash, raw, nonce };
  }
}
