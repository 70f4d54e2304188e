// Lets git run the checks before every commit. Runs after each install; does nothing where there is no repository to
// protect (an archive, a CI checkout) and leaves a hooks path alone that somebody has chosen.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const HOOKS = "scripts/hooks";

const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });

if (!process.env.CI && existsSync(`${root}/.git`)) {
  const chosen = git("config", "--get", "core.hooksPath");
  // 1: not set. Anything else: set, or no git on this machine.
  if (chosen.status === 1) git("config", "--local", "core.hooksPath", HOOKS);
}
