// `npm run compile`: brings the contracts' artifacts up to date.
import { join } from "node:path";
import { compileContracts } from "./local/compile.ts";
import { onParentGone } from "./local/end-with-parent.ts";
import { paths, privateFolder } from "./local/paths.ts";

// The compiler ends with this process.
onParentGone(() => process.exit(1));
await compileContracts(join(privateFolder(paths.logs), "compiler.log"));
