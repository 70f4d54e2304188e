// A real chain with the real contract, a real database, and a relayer that uses both, without any role processes.
import { randomBytes } from "node:crypto";
import { type Hex, toHex } from "viem";
import { connectChain } from "#core/chain/client.ts";
import { readConfig } from "#core/config/config.ts";
import { connect } from "#core/db/client.ts";
import { currentDeployment } from "#core/deployment/deployment.ts";
import { type PreparedCall, Relayer } from "#core/relayer/relayer.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { startStack } from "#test/support/stack.ts";

export async function startOnChain() {
  // With a day between blocks, a block is mined only for a transaction or on a test's request.
  const stack = await startStack({ roles: [], blockIntervalMs: 86_400_000 });
  const config = readConfig(stack.environment);
  const database = connect(config.databaseUrl, { application: "on chain", max: 20 });
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const relayer = new Relayer(database, client, deployment, config);
  const control = localChainClient(stack.rpcUrl);
  return {
    config,
    database,
    client,
    deployment,
    relayer,
    control,
    /** Prepares a call that always succeeds because it settles nothing. */
    harmlessCall: (): Promise<PreparedCall> =>
      relayer.prepare("settle", [anOrderId()], { functionName: "settle", args: [[]] }),
    async close() {
      await database.$client.end();
      await stack.stop();
    },
  };
}

export type OnChain = Awaited<ReturnType<typeof startOnChain>>;

const anOrderId = (): Hex => toHex(randomBytes(32));
