// The indexer build that a reader expects. Readers compute its name, and the indexer uses this name for its schema.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address, Hex } from "viem";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Everything that indexed rows depend on, other than the chain. Handlers contain no logic outside these files. */
const SOURCES = ["indexer/src", "indexer/ponder.schema.ts", "ponder.config.ts", "core/chain/abi"];

/** Part of the hash, because Ponder rejects tables of another Ponder version. */
const ponderVersion = (): string =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies.ponder;

function listFiles(path: string): string[] {
  const absolute = join(root, path);
  if (path.endsWith(".ts")) return [absolute];
  return readdirSync(absolute, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(absolute, name))
    .sort();
}

/**
 * Names an indexer build by its chain, its contract and a hash of its code, with 8 hex characters each. The tables of a
 * build are in a schema with this name, so that rows of a new chain or a changed handler never mix with old rows.
 */
export function nameIndexerBuild(deployment: { genesisHash: Hex; contract: Address }): string {
  const hash = createHash("sha256").update(ponderVersion());
  for (const file of SOURCES.flatMap(listFiles)) hash.update(readFileSync(file)).update("\0");
  const code = hash.digest("hex").slice(0, 8);
  return `${deployment.genesisHash.slice(2, 10)}_${deployment.contract.slice(2, 10).toLowerCase()}_${code}`;
}
