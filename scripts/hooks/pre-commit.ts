// The pre-commit checks.
import { parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";

const HELP = `Checks form and lint of the staged files, and all types. git runs it before each commit.

  bun scripts/hooks/pre-commit.ts`;

parseCommand(HELP, {});

const CHECKS = [
  ["biome", "check", "--staged", "--no-errors-on-unmatched", "--files-ignore-unknown=true"],
  ["tsc", "--noEmit"],
];

for (const command of CHECKS) {
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) {
    console.error(`\n${command.join(" ")} found something. npm run format repairs what is only form.`);
    process.exit(1);
  }
}
