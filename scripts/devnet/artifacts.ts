// Reads artifacts of Hardhat's latest compilation.
import { join } from "node:path";
import { UserError } from "../shared/errors.ts";
import { readJson } from "../shared/json-file.ts";
import { root } from "../shared/paths.ts";

/**
 * @param file path relative to artifacts/
 * @throws UserError if the checkout's contracts were never compiled
 */
export function readArtifact<Content>(file: string): Content {
  const content = readJson<Content>(join(root, "artifacts", file));
  if (content !== undefined) return content;
  throw new UserError(`artifacts/${file} does not exist. Compile the contracts first: npm run compile`);
}
