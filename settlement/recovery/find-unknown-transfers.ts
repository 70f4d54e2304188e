// Transfers that no settlement on chain explains: reconciliation finds the same, and what operations have acknowledged there
// is acknowledged here.
import { describeUnknown, listTransfer } from "../reconciliation/compare-transfer.ts";
import { money } from "../reconciliation/discrepancy.ts";
import { findAcknowledged } from "../reconciliation/known-differences.ts";
import type { Context } from "../runtime/context.ts";
import type { Found } from "./rebuild-attempts.ts";
import type { Repair } from "./repair.ts";

const DOES = "Acknowledges it for the given reason; above the approval limit, by a second person.";

/** @param without the transfers that belong to no payout and to no settlement */
export async function findUnknown(
  { database }: Pick<Context, "database">,
  without: readonly Found[],
): Promise<Repair[]> {
  const now = new Date();
  const unknown = without.map((found) => ({
    ...found,
    difference: describeUnknown(listTransfer(found, found.transfer, now)),
  }));
  const acknowledged = await findAcknowledged(
    database,
    unknown.map(({ difference }) => difference),
  );
  return unknown.map(({ account, transfer, difference }): Repair => {
    const { providerId, reference, amount, currency, state } = transfer;
    const known = acknowledged.get(difference);
    return {
      kind: "unknown_transfer",
      about: providerId,
      says:
        `Transfer ${providerId} of "${account}" for ${money(amount, currency)} (reference ${reference}, ${state}) ` +
        "does not belong to any on-chain settlement.",
      does: known ? `Nothing: it was acknowledged by ${known.by} (${known.reason}).` : DOES,
      ...(known && { acknowledged: known }),
    };
  });
}
