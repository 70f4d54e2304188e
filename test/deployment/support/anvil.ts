// anvil from its npm package, as a second node implementation whose genesis contains the deterministic deployer.
import { createPublicClient, http } from "viem";
import { program } from "#scripts/devnet/anvil.ts";
import { childReady, startChild } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";

const READY_MS = 60_000;

/** @param blockTime seconds between blocks, including empty blocks */
export async function startAnvil(
  log: string,
  { chainId, blockTime }: { chainId: number; blockTime: number },
) {
  const port = await freePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const node = await startChild({
    name: "anvil",
    command: [
      program,
      ...["--host", "127.0.0.1", "--port", String(port)],
      ...["--chain-id", String(chainId), "--block-time", String(blockTime)],
      // anvil finalizes blocks after two epochs, and payouts wait for finality.
      ...["--slots-in-an-epoch", "1"],
    ],
    log,
  });
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0, timeout: 2_000 }) });
  await childReady(node, READY_MS, async () => {
    try {
      return await client.getChainId();
    } catch {
      // The node is not listening yet. If it has exited, polling stops.
      return null;
    }
  });
  return { rpcUrl, stop: () => node.stop() };
}
