// Finds provider transfers that no on-chain settlement explains. Reconciliation finds them too, and its
// acknowledgements apply here.
import { buildListedTransfer, describeUnknown } from "../reconciliation/compare-transfer.ts";
import { formatMoney } from "../reconciliation/discrepancy.ts";
import { findAcknowledged } from "../reconciliation/known-differences.ts";
import type { Context } from "../runtime/context.ts";
import type { AccountTransfer } from "./rebuild-attempts.ts";
import type { Repair } from "./repair.ts";

const ACKNOWLEDGE_EFFECT =
  "Recovery acknowledges it with the given reason; above the approval limit, a second person must approve.";

/** @param unmatched provider transfers that match neither a stored payout nor an on-chain settlement */
export async function findUnknownTransfers(
  { database }: Pick<Context, "database">,
  unmatched: readonly AccountTransfer[],
): Promise<Repair[]> {
  const now = new Date();
  const unknown = unmatched.map((found) => ({
    ...found,
    difference: describeUnknown(buildListedTransfer(found, found.transfer, now)),
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
        `Transfer ${providerId} of "${account}" for ${formatMoney(amount, currency)} (reference ${reference}, ${state}) ` +
        "does not belong to any on-chain settlement.",
      does: known ? `Nothing: it was acknowledged by ${known.by} (${known.reason}).` : ACKNOWLEDGE_EFFECT,
      ...(known && { acknowledged: known }),
    };
  });
}
