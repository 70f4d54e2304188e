// Installs the git pre-commit checks after each install. Does nothing without a repository (an archive, a CI checkout),
// and keeps a configured hooks path.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const HOOKS = "scripts/hooks";

const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });

if (!process.env.CI && existsSync(`${root}/.git`)) {
  const chosen = git("config", "--get", "core.hooksPath");
  // 1: not set. Anything else: set, or git is not installed.
  if (chosen.status === 1) git("config", "--local", "core.hooksPath", HOOKS);
}
