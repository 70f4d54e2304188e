// Measures how far the indexer is behind the chain.
import type { ChainClient } from "#core/chain/client.ts";
import type { IntentReader } from "#core/intent/read-intent.ts";

export type IndexerLag = { block: number; lagBlocks: number; lagSeconds: number };

/** @throws Error if the indexer is not current, or the chain does not respond */
export async function indexerLag(reader: IntentReader, client: ChainClient): Promise<IndexerLag> {
  const [head, tip] = await Promise.all([reader.head(), client.getBlock({ blockTag: "latest" })]);
  return {
    block: head.block,
    lagBlocks: Math.max(Number(tip.number) - head.block, 0),
    lagSeconds: Math.max(Number(tip.timestamp) - head.timestamp, 0),
  };
}
