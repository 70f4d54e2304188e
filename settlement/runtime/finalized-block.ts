// Reads the block that the network guarantees never to remove.
import { askChain } from "#core/chain/client.ts";
import type { Context } from "./context.ts";

/** Returns the network's finalized block; undefined on a simulated chain, which has none. */
export async function finalizedBlock({
  client,
  config,
}: Pick<Context, "client" | "config">): Promise<bigint | undefined> {
  if (config.chain.simulated) return undefined;
  const { number } = await askChain(() => client.getBlock({ blockTag: "finalized" }));
  return number;
}
