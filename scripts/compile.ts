// `npm run compile`: the contracts.
import { join } from "node:path";
import { parseCommand } from "./local/command-line.ts";
import { compileContracts } from "./local/compile.ts";
import { onParentGone } from "./local/end-with-parent.ts";
import { paths, privateFolder } from "./local/paths.ts";

const HELP = `Brings the contracts' artifacts up to date.

  npm run compile`;

parseCommand(HELP, {});
// The compiler ends with this process.
onParentGone(() => process.exit(1));
await compileContracts(join(privateFolder(paths.logs), "compiler.log"));
