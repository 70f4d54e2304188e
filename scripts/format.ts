// `npm run format`: puts everything into the form that the checks ask for.
import { root } from "./local/paths.ts";

const FORMATTERS = [
  ["biome", "check", "--write", "."],
  ["prettier", "--write", "contracts/**/*.sol"],
];

for (const command of FORMATTERS) {
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) process.exit(exitCode);
}
