// `npm run format`: formats all files as the checks require.
import { parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";

const HELP = `Formats all files as the checks require.

  npm run format`;

parseCommand(HELP, {});

const FORMATTERS = [
  ["biome", "check", "--write", "."],
  ["prettier", "--write", "contracts/**/*.sol"],
];

for (const command of FORMATTERS) {
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) process.exit(exitCode);
}
