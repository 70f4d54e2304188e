// Commands that affect funds, by name.
import { SETTLE_EXTERNALLY } from "#core/controls/operations.ts";
import { activateAccount, moveToAccount, removeAccount } from "./account-operations.ts";
import { acknowledgeDifference } from "./acknowledge-difference.ts";
import { allowPayout } from "./allow-payout.ts";
import type { ControlledCommands } from "./approve.ts";
import { confirmDebit } from "./confirm-debit.ts";
import { setLimit } from "./controls.ts";
import { failPayout } from "./fail-payout.ts";
import { reorderPayout } from "./reorder-payout.ts";
import { settleExternally } from "./settle-externally.ts";

export const CONTROLLED: ControlledCommands = {
  [SETTLE_EXTERNALLY]: settleExternally,
  fail: failPayout,
  reorder: reorderPayout,
  allow: allowPayout,
  "confirm-debit": confirmDebit,
  limit: setLimit,
  acknowledge: acknowledgeDifference,
  "activate-account": activateAccount,
  "remove-account": removeAccount,
  "move-payout": moveToAccount,
};
