// `npm run stop`: stops this folder's gateway, wherever it was started.
import { describe } from "./local/errors.ts";
import { printLine } from "./local/screen.ts";
import { stopGateway } from "./local/stop-gateway.ts";

stopGateway().then(
  (stopped) => printLine(stopped ? "  Stopped." : "  The gateway does not run."),
  (error: unknown) => {
    console.error(describe(error));
    process.exit(1);
  },
);
