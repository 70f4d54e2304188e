// `npm run build`: bundles the pages of web/.
import { parseCommand } from "../shared/command-line.ts";
import { ensurePagesBuilt } from "./build-pages.ts";

const HELP = `Bundles the pages of web/ for the API. npm start and npm test do this automatically.

  npm run build`;

parseCommand(HELP, {});
await ensurePagesBuilt();
