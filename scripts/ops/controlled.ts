// The commands that move or excuse money, by name.
import type { ControlledCommands } from "./approve.ts";
import { failPayout } from "./fail-payout.ts";
import { settleExternally } from "./settle-externally.ts";

export const CONTROLLED: ControlledCommands = {
  "settle-externally": settleExternally,
  fail: failPayout,
};
