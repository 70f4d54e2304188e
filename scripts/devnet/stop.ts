// `npm run stop`: stops this folder's gateway, from any terminal.
import { fail, parseCommand } from "../shared/command-line.ts";
import { printLine } from "./screen.ts";
import { stopGateway } from "./stop-gateway.ts";

const HELP = `Stops the gateway of this folder, from any terminal.

  npm run stop`;

parseCommand(HELP, {});
stopGateway().then((stopped) => printLine(stopped ? "  Stopped." : "  The gateway is not running."), fail);
