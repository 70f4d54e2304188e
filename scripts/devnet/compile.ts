// `npm run compile`: compiles the contracts.
import { join } from "node:path";
import { parseCommand } from "../shared/command-line.ts";
import { createPrivateFolder, paths } from "../shared/paths.ts";
import { compileContracts } from "./compile-contracts.ts";
import { onParentGone } from "./end-with-parent.ts";

const HELP = `Compiles the contracts and updates their artifacts.

  npm run compile`;

parseCommand(HELP, {});
// The compiler exits with this process.
onParentGone(() => process.exit(1));
await compileContracts(join(createPrivateFolder(paths.logs), "compiler.log"));
