// Changes of a provider account that let money go another way: above the limit, or where nobody knows how much, a second person
// approves them. To drain an account stops money, and one person is enough.
import { eq } from "drizzle-orm";
import type { OffRampAccountState } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { UsageError } from "../../shared/errors.ts";
import type { Controlled } from "./approve.ts";
import { changeAccount, movePayout } from "./off-ramp-accounts.ts";

const become = (to: OffRampAccountState): Controlled => ({
  // What goes to the account from now on is not known.
  weigh: async () => null,
  carryOut: ({ database }, { subject, arguments: { reason = "" }, by }, finish) =>
    changeAccount(database, subject, to, { by, reason }, finish),
});

export const activateAccount = become("active");
export const removeAccount = become("removed");

export const moveToAccount: Controlled = {
  async weigh({ database }, { subject }) {
    const [row] = await database.select().from(payout).where(eq(payout.id, subject));
    if (!row) throw new UsageError(`There is no payout ${subject}.`);
    return { amount: row.amount, currency: row.currency };
  },
  carryOut: ({ database }, { subject, arguments: { account = "", wallet }, by }, finish) =>
    movePayout(database, subject, account, { by, wallet }, finish),
};
