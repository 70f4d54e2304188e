// The guardian de-lists tokens of the escrow. It never lists a token: only the contract's owner can do that
// (docs/decisions/0020-restricted-tokens.md).
import { and, eq, gt, or, sql } from "drizzle-orm";
import type { Address } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain, type ChainClient, callIfSupported } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { transaction, transactionAttempt } from "#core/db/schema/transactions.ts";
import { type Deployment, DeploymentMismatch } from "#core/deployment/deployment.ts";
import type { Logger } from "#core/log.ts";
import { parseCall } from "#core/relayer/parse-call.ts";
import { type PreparedCall, Relayer } from "#core/relayer/relayer.ts";

type Sources = {
  config: Config;
  log: Logger;
  database: Database;
  client: ChainClient;
  deployment: Deployment;
};

export type Guardian = {
  /** Sends transactions with the guardian's own nonces, like the operator's relayer. */
  relayer: Relayer;
  /**
   * De-lists a token. Does nothing if the token is not listed, or if a transaction that de-lists it is pending.
   * @param reason the reason that is logged
   */
  delist(token: Address, reason: string): Promise<void>;
};

/**
 * Compares the guardian's key with the contract.
 * @throws DeploymentMismatch that names both accounts; ServiceError 503 if the node does not respond
 */
export async function verifyGuardian(
  client: ChainClient,
  { guardian }: Pick<Config, "guardian">,
  { contract }: Pick<Deployment, "contract">,
): Promise<void> {
  if (!guardian) return;
  const named = await callIfSupported(() =>
    client.readContract({ address: contract, abi: deliveryVsPaymentAbi, functionName: "guardian" }),
  );
  if (named === guardian.address) return;
  throw new DeploymentMismatch(
    `GUARDIAN_KEY is the key of ${guardian.address}, but the guardian of the escrow contract ${contract} is ` +
      `${named ?? "not set"}.`,
  );
}

/** @returns undefined if the gateway has no guardian key */
export function createGuardian(
  { config, log, database, client, deployment }: Sources,
  onProblem?: (problem: string, error: unknown) => void,
): Guardian | undefined {
  if (!config.guardian) return undefined;
  const { address, key } = config.guardian;
  // The gas price is not limited: orders that are funded in the meantime would be trapped.
  const chain = { ...config.chain, maxFeePerGas: undefined };
  const relayer = new Relayer(
    database,
    client,
    deployment,
    { operator: address, signing: { key }, chain },
    onProblem,
    "nothing",
  );
  const escrow = { address: deployment.contract, abi: deliveryVsPaymentAbi } as const;

  /**
   * Whether a transaction that de-lists the token is pending. @param head a block in which the token is still listed
   */
  async function isOnItsWay(tx: Transaction, { data }: PreparedCall, head: bigint): Promise<boolean> {
    const { state, blockNumber } = transaction;
    const found = await tx
      .select({ raw: transactionAttempt.raw })
      .from(transaction)
      .innerJoin(transactionAttempt, eq(transactionAttempt.transactionId, transaction.id))
      .where(
        and(
          eq(transaction.deploymentId, deployment.id),
          eq(transaction.signer, address),
          or(eq(state, "pending"), and(eq(state, "mined"), gt(blockNumber, Number(head)))),
        ),
      );
    return found.some(({ raw }) => parseCall(raw).data === data);
  }

  return {
    relayer,
    async delist(token, reason) {
      const head = await askChain(() => client.getBlockNumber({ cacheTime: 0 }));
      const asked = { ...escrow, functionName: "isTokenListed", args: [token], blockNumber: head } as const;
      if (!(await askChain(() => client.readContract(asked)))) return;
      const call = await relayer.prepare("delist_token", [], {
        functionName: "setTokenListed",
        args: [token, false],
      });
      const attempt = await database.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.delist', 0))`);
        return (await isOnItsWay(tx, call, head)) ? undefined : relayer.store(tx, call);
      });
      if (!attempt) return;
      log.warn({ token, reason, hash: attempt.hash, nonce: attempt.nonce }, "de-listing a token");
      await relayer.broadcast(attempt);
    },
  };
}
