// What Hardhat's last compilation wrote, for the scripts that need it.
import { join } from "node:path";
import { UserError } from "../shared/errors.ts";
import { readJson } from "../shared/json-file.ts";
import { root } from "../shared/paths.ts";

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
