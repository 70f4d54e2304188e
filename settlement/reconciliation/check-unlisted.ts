// Finds payouts that a provider has accepted according to our records but does not list. Each one is queried to be
// sure.
import { and, eq, lte, sql } from "drizzle-orm";
import pLimit from "p-limit";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { OffRamp, Transfer } from "../off-ramp/off-ramp.ts";
import { findAccount, findListed, nextAccount, sortOffRamps } from "./check-transfers.ts";
import { buildListedTransfer, compareTransfer, findPayouts, type Payout } from "./compare-transfer.ts";
import { buildStake, type Finding, formatMoney } from "./discrepancy.ts";
import type { Dependencies } from "./scope.ts";
import type { Stage } from "./stage.ts";

const PAGE = 500;
/** Lower than the provider's limit, because payouts are ordered concurrently. */
const AT_ONCE = 50;

const isAccepted = sql`${payout.state} in ('submitted', 'completed', 'returned')`;

type Cursor = { account: string; createdAt: string; id: string };

export const askAboutPayout = (offRamp: OffRamp, payout: Payout): Promise<Transfer | undefined> =>
  offRamp.lookUp(payout.reference, {
    providerId: payout.providerId,
    notBefore: new Date(payout.createdAt),
  });

async function compareOne(offRamp: OffRamp, payout: Payout): Promise<Finding[]> {
  const { id, intent, reference, state, amount, currency } = payout;
  const subject = { check: "unlisted", payoutId: id, account: offRamp.account } as const;
  const transfer = await askAboutPayout(offRamp, payout);
  if (transfer) {
    return compareTransfer(payout, buildListedTransfer(offRamp, transfer, new Date())).map((discrepancy) => ({
      ...discrepancy,
      subject,
    }));
  }
  const says =
    `Payout ${id} of ${intent} for ${formatMoney(BigInt(amount), currency)} is ${state} (reference ${reference}), ` +
    "but the provider has no transfer for it.";
  const identity = `${amount} ${state} ${reference}`;
  return [
    { kind: "missing_transfer", about: id, says, ...buildStake(BigInt(amount), currency), identity, subject },
  ];
}

async function compareEach(offRamp: OffRamp, payouts: readonly Payout[]): Promise<Finding[]> {
  const limit = pLimit(Math.min(offRamp.atOnce, AT_ONCE));
  return (await Promise.all(payouts.map((payout) => limit(() => compareOne(offRamp, payout))))).flat();
}

/** Queries an account's payouts again. */
export async function compareUnlisted(
  parts: Dependencies,
  account: string,
  ids: readonly string[],
): Promise<Finding[]> {
  const offRamp = findAccount(sortOffRamps(parts), account);
  if (offRamp?.account !== account) return [];
  const payouts = await findPayouts(
    parts,
    and(isAmong(payout.id, ids), eq(payout.account, account), isAccepted),
  );
  return compareEach(offRamp, payouts);
}

export const unlisted: Stage = {
  name: "unlisted",
  open({ parts, scope, run }) {
    const offRamps = sortOffRamps(parts);
    const { since, merchantId } = scope;
    const first = { createdAt: since.toISOString(), id: "" };
    const isOwn = merchantId === undefined ? undefined : eq(payout.merchantId, merchantId);
    const isOfChain = sql`exists (select from ${intent}
      where ${intent.id} = ${payout.intentId} and ${intent.deploymentId} = ${parts.deployment.id})`;

    return async (stored) => {
      const cursor = (stored as Cursor | null) ?? { account: "", ...first };
      const offRamp = findAccount(offRamps, cursor.account);
      if (!offRamp) return { found: [], cursor: null };
      const { account } = offRamp;
      const { createdAt, id } = account === cursor.account ? cursor : first;
      const isAfter = sql`(${payout.createdAt}, ${payout.id}) > (${createdAt}::timestamptz, ${sql.param(id, payout.id)})`;
      // Payouts that are newer than the run may be missing from the list that it has read.
      const isOlder = lte(payout.createdAt, run.createdAt);
      const page = await findPayouts(
        parts,
        and(eq(payout.account, account), isAfter, isAccepted, isOwn, isOlder, isOfChain),
      )
        .orderBy(payout.createdAt, payout.id)
        .limit(PAGE);
      const references = page.map(({ reference }) => reference);
      const listed = await findListed(parts, run, account, references);
      const missing = page.filter(({ reference }) => !listed.has(reference));
      const found = await compareEach(offRamp, missing);
      const last = page.length < PAGE ? undefined : page.at(-1);
      if (last) return { found, cursor: { account, createdAt: last.createdAt, id: last.id } };
      const next = nextAccount(offRamps, offRamp);
      return { found, cursor: next ? { account: next.account, ...first } : null };
    };
  },
};
