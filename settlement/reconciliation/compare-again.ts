// Compares listed transfers a second time, without reading the list again.
import pLimit from "p-limit";
import { isAmong } from "#core/db/is-among.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { OffRamp, Transfer } from "../off-ramp/off-ramp.ts";
import { compareListed, findAccount, sortOffRamps } from "./check-transfers.ts";
import { buildListedTransfer, findPayouts, type Payout } from "./compare-transfer.ts";
import type { Finding, ListedTransfer } from "./discrepancy.ts";
import type { Comparison } from "./stage.ts";

/** Time after which a list shows the final state of a transfer, including clock differences. */
const LIST_DELAY_MS = 600_000;
const AT_ONCE = 50;

/** Whether the list may have shown an older state of the transfer than the payout had. */
const mayBeOlder = (payout: Payout | undefined, { readAt }: ListedTransfer): boolean =>
  payout !== undefined && Date.parse(payout.updatedAt) > Date.parse(readAt) - LIST_DELAY_MS;

const isNews = (now: Transfer, then: ListedTransfer): boolean =>
  now.providerId === then.providerId &&
  (now.state !== then.state || now.fee !== BigInt(then.fee) || now.amount !== BigInt(then.amount));

/** Returns the transfer with its current state, as reported by the provider. */
async function refresh(offRamp: OffRamp, then: ListedTransfer, now: Date): Promise<ListedTransfer> {
  const { providerId, reference, first } = then;
  const notBefore = new Date(then.createdAt);
  const transfer = await offRamp.lookUp(reference, { providerId, notBefore });
  if (!transfer || !isNews(transfer, then)) return then;
  return { ...buildListedTransfer(offRamp, transfer, now), ...(first === undefined ? {} : { first }) };
}

/**
 * Compares the transfers again. Only transfers of payouts that changed around the time of the list read are queried.
 */
export async function compareTransfersAgain(
  { parts, scope }: Comparison,
  listed: readonly ListedTransfer[],
): Promise<Finding[]> {
  const offRamps = sortOffRamps(parts);
  const references = listed.map(({ reference }) => reference);
  const payouts = await findPayouts(parts, isAmong(payout.reference, references));
  const byReference = new Map(payouts.map((payout) => [payout.reference, payout]));
  const limit = pLimit(AT_ONCE);
  const now = new Date();
  const unique = new Map(listed.map((one) => [`${one.account} ${one.providerId}`, one]));
  const again = await Promise.all(
    [...unique.values()].map((transfer) =>
      limit(async () => {
        const offRamp = findAccount(offRamps, transfer.account);
        const isOld = !mayBeOlder(byReference.get(transfer.reference), transfer);
        if (isOld || offRamp?.account !== transfer.account) return transfer;
        return refresh(offRamp, transfer, now);
      }),
    ),
  );
  return compareListed(parts, scope, again);
}
