// `npm run compile`: brings the contracts' artifacts up to date.
import { join } from "node:path";
import { compileContracts } from "./local/compile.ts";
import { paths, privateFolder } from "./local/paths.ts";

await compileContracts(join(privateFolder(paths.logs), "compiler.log"));
