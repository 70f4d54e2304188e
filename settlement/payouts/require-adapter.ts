// Finds the adapter that may be called for a payout, or the reason why none may be called.
import { describe } from "#core/log.ts";
import { findOffRamp } from "../off-ramp/accounts.ts";
import type { OffRamp, OffRamps } from "../off-ramp/off-ramp.ts";
import { type ClaimedPayout, fundedAt } from "./claim-payouts.ts";

/** No provider may be called for a payout at present: operators have to act. */
export class PayoutBlocked extends Error {
  override readonly name = "PayoutBlocked";
}

const explainUnbound = (row: ClaimedPayout, { account }: OffRamp): string =>
  `No account accepts new payouts of this amount by ${row.method} in ${row.currency} from the wallet ${fundedAt(row)}, which received ` +
  `its funds. The wallet does not belong to any of them, including "${account}", or they are drained (npm run accounts).`;

export const withoutWallet = (row: ClaimedPayout, { account }: OffRamp) =>
  new PayoutBlocked(
    `The wallet ${fundedAt(row)}, which received the payout's funds, is not a known wallet of the account "${account}".`,
  );

/** After a database restore the bank account is unknown, and only the provider knows whether the payout was paid. */
export const withoutDestination = () =>
  new PayoutBlocked(
    "The payout's bank account is unknown, and the provider has no transfer for it. Pay it manually (npm run ops -- settle-externally).",
  );

/** @throws PayoutBlocked if the payout has no usable adapter here */
export function requireAdapter(
  offRamps: OffRamps,
  row: ClaimedPayout,
  unverified: Map<string, unknown>,
): OffRamp {
  const offRamp = row.account === null ? offRamps(row.method) : findOffRamp(offRamps, row.account);
  if (!offRamp) {
    const missing =
      row.account === null
        ? `No provider is configured for ${row.method}`
        : `The payout's account "${row.account}" is not configured`;
    throw new PayoutBlocked(`${missing}.`);
  }
  const { account } = offRamp;
  const cause = unverified.get(account);
  if (cause) throw new PayoutBlocked(`The account "${account}" is not verified (${describe(cause)}).`);
  if (row.account === null) throw new PayoutBlocked(explainUnbound(row, offRamp));
  const { accountState } = row;
  if (row.calledAt === null && accountState !== null && accountState !== "active") {
    throw new PayoutBlocked(
      `The account "${account}" is ${accountState} and was not called for this payout. To move the payout, run: npm run accounts -- move.`,
    );
  }
  return offRamp;
}
