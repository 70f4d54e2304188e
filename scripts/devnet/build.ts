// `npm run build`: bundles the pages of web/.
import { parseCommand } from "../shared/command-line.ts";
import { ensurePagesBuilt } from "./pages.ts";

const HELP = `Bundles the pages of web/ as the API serves them. npm start and npm test do it by themselves.

  npm run build`;

parseCommand(HELP, {});
await ensurePagesBuilt();
