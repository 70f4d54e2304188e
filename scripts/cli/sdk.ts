// `npm run sdk`: builds the SDK's package.
import { parseCommand } from "../shared/command-line.ts";

const HELP = `Builds the SDK (sdk/) and packs it as a tarball for npm install. Prints the tarball's path.

  npm run sdk`;

parseCommand(HELP, {});
// These modules are loaded only after the arguments have been validated.
const { join } = await import("node:path");
const { dataDir, createPrivateFolder } = await import("../shared/paths.ts");
const { packSdk } = await import("./sdk/build.ts");
console.log(await packSdk(createPrivateFolder(join(createPrivateFolder(dataDir), "sdk"))));
