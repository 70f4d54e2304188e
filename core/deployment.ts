// Which contract on which chain the service stands on. The chain is known by its genesis, not by its number alone.
import { and, eq, ne, sql } from "drizzle-orm";
import { type Address, getAddress, type Hex } from "viem";
import { type ChainClient, genesisHashOf } from "./chain/client.ts";
import type { Config } from "./config.ts";
import { connect, type Database } from "./db/client.ts";
import { deployment, intent } from "./db/schema.ts";
import type { Currency } from "./money.ts";

export type Deployment = typeof deployment.$inferSelect;

export type DeploymentFacts = {
  chainId: number;
  genesisHash: Hex;
  contractAddress: Address;
  startBlock: number;
  tokens: Record<Currency, Address>;
};

/** The database was made for another chain or contract than the one that answers. */
export class DeploymentMismatch extends Error {
  override readonly name = "DeploymentMismatch";
}

const deploymentIdOf = (facts: DeploymentFacts): string =>
  `${facts.chainId}_${facts.genesisHash.slice(2, 18)}_${facts.contractAddress.slice(2).toLowerCase()}`;

/**
 * Makes a deployment the current one.
 * A local chain lives in memory, so another genesis is a new chain and the old one's intents are set aside;
 * in production it is a mistake or an attack.
 * @returns whether it replaced another, and how many unfinished intents that set aside
 * @throws DeploymentMismatch in production, when another is recorded
 */
export async function recordDeployment(
  databaseUrl: string,
  facts: DeploymentFacts,
  mode: "local" | "production",
): Promise<{ changed: boolean; setAside: number }> {
  const database = connect(databaseUrl, { max: 1, application: "deployment" });
  try {
    return await database.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.deployment', 0))`);
      const id = deploymentIdOf(facts);
      const [current] = await tx.select().from(deployment).where(eq(deployment.current, true));
      if (current?.id === id) return { changed: false, setAside: 0 };
      if (current && mode === "production") {
        throw new DeploymentMismatch(
          `The database belongs to contract ${current.contract} on chain ${current.chainId} with genesis ` +
            `${current.genesisHash}; the chain that answers has genesis ${facts.genesisHash} and contract ` +
            `${facts.contractAddress}. Check RPC_URL and CONTRACT_ADDRESS, or use another database.`,
        );
      }
      if (current) await tx.update(deployment).set({ current: false }).where(eq(deployment.id, current.id));
      const { contractAddress, ...rest } = facts;
      await tx
        .insert(deployment)
        .values({ id, ...rest, contract: getAddress(contractAddress), current: true })
        .onConflictDoUpdate({ target: deployment.id, set: { current: true } });
      const setAside = current
        ? await tx.$count(
            intent,
            and(
              eq(intent.deploymentId, current.id),
              ne(intent.lastSeenStatus, "FINAL"),
              ne(intent.lastSeenStatus, "CANCELED"),
            ),
          )
        : 0;
      return { changed: current !== undefined, setAside };
    });
  } finally {
    await database.$client.end();
  }
}

/**
 * The current deployment, checked against the chain that answers and the configuration.
 * @throws DeploymentMismatch when they are not the same
 */
export async function currentDeployment(
  database: Database,
  client: ChainClient,
  config: Pick<Config, "chain">,
): Promise<Deployment> {
  const genesisHash = await genesisHashOf(client);
  const [current] = await database.select().from(deployment).where(eq(deployment.current, true));
  const { chain } = config;
  if (!current) {
    throw new DeploymentMismatch(
      "No deployment is recorded in this database: record one before starting roles.",
    );
  }
  if (
    current.chainId !== chain.id ||
    current.contract !== chain.contract ||
    current.genesisHash !== genesisHash
  ) {
    throw new DeploymentMismatch(
      `The database belongs to contract ${current.contract} on chain ${current.chainId} with genesis ` +
        `${current.genesisHash}; configured is ${chain.contract} on chain ${chain.id}, which has genesis ${genesisHash}.`,
    );
  }
  return current;
}
