// The pre-commit checks.
import { parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";

const HELP = `Checks the formatting and lint of the staged files, and all types. Git runs it before each commit.

  bun scripts/hooks/pre-commit.ts`;

parseCommand(HELP, {});

const CHECKS = [
  ["biome", "check", "--staged", "--no-errors-on-unmatched", "--files-ignore-unknown=true"],
  ["tsc", "--noEmit"],
];

for (const command of CHECKS) {
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) {
    console.error(`\n${command.join(" ")} failed. npm run format fixes formatting problems.`);
    process.exit(1);
  }
}
