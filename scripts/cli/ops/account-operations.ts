// Changes to a provider account that redirect money. Above the limit, or if the amount is unknown, a second person
// approves them. Draining an account stops money, so one person is enough.
import type { OffRampAccountState } from "#core/db/schema/off-ramp.ts";
import type { Controlled } from "./approve.ts";
import {
  changeAccount,
  describeAccount,
  movePayout,
  requireChangeable,
  requireMovable,
} from "./off-ramp-accounts.ts";

const become = (to: OffRampAccountState): Controlled => ({
  describe: ({ database }, { subject }) => describeAccount(database, subject),
  async weigh({ database }, { subject }) {
    await requireChangeable(database, subject, to);
    // The amount that the account will receive from now on is unknown.
    return null;
  },
  carryOut: ({ database }, { subject, arguments: { reason = "" }, by }, finish) =>
    changeAccount(database, subject, to, { by, reason }, finish),
});

export const activateAccount = become("active");
export const removeAccount = become("removed");

export const moveToAccount: Controlled = {
  async describe({ database }, { subject, arguments: { account = "", wallet } }) {
    const row = await requireMovable(database, subject, { account, wallet });
    return {
      from: `${row.account ?? "none"} ${row.wallet ?? "none"}`,
      ...(await describeAccount(database, account)),
    };
  },
  async weigh({ database }, { subject, arguments: { account = "", wallet } }) {
    const { amount, currency } = await requireMovable(database, subject, { account, wallet });
    return { amount, currency };
  },
  carryOut: ({ database }, { subject, arguments: { account = "", wallet }, by }, finish) =>
    movePayout(database, subject, account, { by, wallet }, finish),
};
