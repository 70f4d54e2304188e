// `npm run stop`: stops this folder's gateway, wherever it was started.
import { fail, parseCommand } from "./local/command-line.ts";
import { printLine } from "./local/screen.ts";
import { stopGateway } from "./local/stop-gateway.ts";

const HELP = `Stops the gateway of this folder, wherever it was started.

  npm run stop`;

parseCommand(HELP, {});
stopGateway().then((stopped) => printLine(stopped ? "  Stopped." : "  The gateway does not run."), fail);
