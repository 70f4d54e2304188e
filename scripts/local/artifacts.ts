// What Hardhat's last compilation wrote, for the scripts that need it.
import { join } from "node:path";
import { UserError } from "./errors.ts";
import { readJson } from "./json-file.ts";
import { root } from "./paths.ts";

/**
 * @param file below artifacts/
 * @throws UserError in a checkout whose contracts were never compiled
 */
export function readArtifact<Content>(file: string): Content {
  const content = readJson<Content>(join(root, "artifacts", file));
  if (content !== undefined) return content;
  throw new UserError(
    `There is no artifacts/${file}: the contracts have to be compiled first. npm run compile`,
  );
}
