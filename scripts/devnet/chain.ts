// Starts a local chain, which is an in-memory Hardhat node or anvil, on loopback.
import { join } from "node:path";
import { createPublicClient, type Hash, http } from "viem";
import { root } from "../shared/paths.ts";
import { hasAnvil } from "./anvil.ts";
import { type Child, childReady, startBunChild } from "./child.ts";
import { hardhatCli } from "./compile-contracts.ts";
import { freePort } from "./ports.ts";

export interface ChainOptions {
  log: string;
  /** Default: any free port. */
  port?: number;
  /** Milliseconds between interval-mined blocks; transactions are also mined immediately. Default 1000. */
  blockIntervalMs?: number;
  /** Milliseconds between blocks after several blocks without a transaction. Default: `blockIntervalMs`. */
  idleBlockIntervalMs?: number;
  /** Default 31337. */
  chainId?: number;
  /** anvil uses less CPU in tests; where it is not available, Hardhat's node is used. Default: Hardhat's. */
  node?: "hardhat" | "anvil";
}

export interface Chain {
  rpcUrl: string;
  port: number;
  chainId: number;
  genesisHash: Hash;
  blockIntervalMs: number;
  node: Child;
  stop(): Promise<void>;
}

const READY_MS = 60_000;

const anvilNode = join(import.meta.dir, "anvil-node.ts");
const chainConfig = join(import.meta.dir, "chain.config.ts");

/** Starts a new chain and resolves when it responds. */
export async function startChain({
  log,
  port: preferred,
  blockIntervalMs = 1_000,
  idleBlockIntervalMs = blockIntervalMs,
  chainId: asked = 31_337,
  node: make = "hardhat",
}: ChainOptions): Promise<Chain> {
  const port = await freePort(preferred);
  const rpcUrl = `http://127.0.0.1:${port}`;
  const node = await startBunChild({
    name: "chain",
    args:
      make === "anvil" && hasAnvil()
        ? [anvilNode, String(port), String(await freePort()), String(asked)]
        : [
            ...[hardhatCli, "--config", chainConfig],
            ...["node", "--network", "node", "--hostname", "127.0.0.1", "--port", String(port)],
            ...["--chain-id", String(asked)],
          ],
    env: {
      BLOCK_INTERVAL_MS: String(blockIntervalMs),
      IDLE_BLOCK_INTERVAL_MS: String(idleBlockIntervalMs),
    },
    cwd: root,
    log,
  });
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0, timeout: 2_000 }) });
  const { chainId, genesisHash } = await childReady(node, READY_MS, async () => {
    try {
      const [id, genesis] = await Promise.all([client.getChainId(), client.getBlock({ blockNumber: 0n })]);
      return { chainId: id, genesisHash: genesis.hash };
    } catch {
      // The node is not listening yet. If it has exited, `childReady` stops polling.
      return null;
    }
  });
  return { rpcUrl, port, chainId, genesisHash, blockIntervalMs, node, stop: () => node.stop() };
}
