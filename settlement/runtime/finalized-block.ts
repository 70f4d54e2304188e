// The chain's own word on what can never be taken back.
import { askChain } from "#core/chain/client.ts";
import type { Context } from "./context.ts";

/** The network's finalized block; undefined where there is no such thing: on a simulated chain. */
export async function finalizedBlock({
  client,
  config,
}: Pick<Context, "client" | "config">): Promise<bigint | undefined> {
  if (config.chain.simulated) return undefined;
  const { number } = await askChain(() => client.getBlock({ blockTag: "finalized" }));
  return number;
}
