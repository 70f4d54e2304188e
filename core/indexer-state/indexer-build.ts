// The indexer build that a reader expects: readers compute it, and the indexer names its schema after it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address, Hex } from "viem";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Everything other than the chain that indexed rows depend on. Handlers contain no logic outside these files. */
const SOURCES = ["indexer/src", "indexer/ponder.schema.ts", "ponder.config.ts", "core/chain/abi"];

/** Ponder rejects tables of another Ponder version. */
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
 * A hash of chain, contract and the indexer's code, 8 hex characters each. The tables of a build are in a schema with
 * this name, so a new chain or a changed handler never mixes with old rows.
 */
export function nameIndexerBuild(deployment: { genesisHash: Hex; contract: Address }): string {
  const hash = createHash("sha256").update(ponderVersion());
  for (const file of SOURCES.flatMap(listFiles)) hash.update(readFileSync(file)).update("\0");
  const code = hash.digest("hex").slice(0, 8);
  return `${deployment.genesisHash.slice(2, 10)}_${deployment.contract.slice(2, 10).toLowerCase()}_${code}`;
}
