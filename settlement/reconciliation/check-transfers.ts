// Compares payouts with the provider's list of transfers, which a run reads once, page by page.
import { and, eq, sql } from "drizzle-orm";
import { insertMany } from "#core/db/insert-many.ts";
import { isAmong } from "#core/db/is-among.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { reconciliationTransfer } from "#core/db/schema/reconciliation-runs.ts";
import { listOffRamps } from "../off-ramp/accounts.ts";
import type { OffRamp, Transfer } from "../off-ramp/off-ramp.ts";
import { buildListedTransfer, findPayouts, judgeTransfer } from "./compare-transfer.ts";
import type { Finding, ListedTransfer } from "./discrepancy.ts";
import type { Dependencies, Scope } from "./scope.ts";
import type { Stage } from "./stage.ts";
import type { StoredRun } from "./stored-run.ts";

const PAGE = 500;

type Cursor = {
  account: string;
  /** The last transfer that was read; null at the start of the account's list. */
  after: string | null;
};

const insertSeen = insertMany(reconciliationTransfer, ["runId", "account", "reference", "providerId"]);

/** Returns the adapters in a stable order. */
export const sortOffRamps = ({ offRamps }: Dependencies): OffRamp[] =>
  listOffRamps(offRamps).sort((a, b) => (a.account < b.account ? -1 : 1));

/**
 * Returns the adapter of the cursor's account, or of the next account that is still configured; undefined after the
 * last.
 */
export const findAccount = (offRamps: readonly OffRamp[], account: string): OffRamp | undefined =>
  offRamps.find((offRamp) => offRamp.account >= account);

export const nextAccount = (offRamps: readonly OffRamp[], { account }: OffRamp): OffRamp | undefined =>
  offRamps.find((offRamp) => offRamp.account > account);

/** Returns which of these references the run has listed, each with the first transfer that has it. */
export async function findListed(
  { database }: Dependencies,
  run: StoredRun,
  account: string,
  references: readonly string[],
): Promise<Map<string, string>> {
  const listed = reconciliationTransfer;
  const rows = await database
    .select({ reference: listed.reference, providerId: listed.providerId })
    .from(listed)
    .where(and(eq(listed.runId, run.id), eq(listed.account, account), isAmong(listed.reference, references)));
  return new Map(rows.map(({ reference, providerId }) => [reference, providerId]));
}

/** Adds the first transfer with the same reference to each transfer whose reference was listed before. */
function markRepeated(transfers: readonly ListedTransfer[], seen: Map<string, string>): ListedTransfer[] {
  return transfers.map((transfer) => {
    const { reference, providerId } = transfer;
    const first = seen.get(reference) ?? providerId;
    seen.set(reference, first);
    return first === providerId ? transfer : { ...transfer, first };
  });
}

/** Reads the payouts after the transfers, because a payout exists before its transfer does. */
export async function compareListed(
  parts: Dependencies,
  { merchantId }: Pick<Scope, "merchantId">,
  transfers: readonly ListedTransfer[],
): Promise<Finding[]> {
  const payouts = await findPayouts(
    parts,
    isAmong(
      payout.reference,
      transfers.map(({ reference }) => reference),
    ),
  );
  const byReference = new Map(payouts.map((payout) => [payout.reference, payout]));
  return transfers.flatMap((transfer) =>
    judgeTransfer(byReference.get(transfer.reference), transfer, merchantId).map(
      (discrepancy): Finding => ({ ...discrepancy, subject: { check: "transfers", transfer } }),
    ),
  );
}

async function take(list: AsyncIterator<Transfer>): Promise<{ page: Transfer[]; isLast: boolean }> {
  const page: Transfer[] = [];
  while (page.length < PAGE) {
    const { value, done } = await list.next();
    if (done) return { page, isLast: true };
    page.push(value);
  }
  return { page, isLast: false };
}

export const transfers: Stage = {
  name: "transfers",
  open({ parts, scope, run }) {
    const offRamps = sortOffRamps(parts);
    let reading: { offRamp: OffRamp; list: AsyncIterator<Transfer> } | undefined;

    async function open(offRamp: OffRamp, after: string | null) {
      if (reading?.offRamp === offRamp) return reading.list;
      await offRamp.verify?.();
      const asked = { since: scope.since, ...(after === null ? {} : { after }) };
      const list = offRamp.transfers(asked)[Symbol.asyncIterator]();
      reading = { offRamp, list };
      return list;
    }

    return async (stored, now) => {
      const cursor = (stored as Cursor | null) ?? { account: "", after: null };
      const offRamp = findAccount(offRamps, cursor.account);
      if (!offRamp) return { found: [], cursor: null };
      const { account } = offRamp;
      const { page, isLast } = await take(
        await open(offRamp, account === cursor.account ? cursor.after : null),
      );
      const read = page.map((transfer) => buildListedTransfer(offRamp, transfer, now));
      const seen = await findListed(
        parts,
        run,
        account,
        read.map(({ reference }) => reference),
      );
      const found = await compareListed(parts, scope, markRepeated(read, seen));
      const rows = [...new Map(read.map((transfer) => [transfer.reference, transfer])).values()].map(
        ({ reference }) => ({ runId: run.id, account, reference, providerId: seen.get(reference) ?? "" }),
      );
      const next = isLast ? nextAccount(offRamps, offRamp) : offRamp;
      const after = isLast ? null : (page.at(-1)?.providerId ?? null);
      return {
        found,
        cursor: next ? { account: next.account, after } : null,
        write: async (tx) => {
          if (rows.length > 0) await tx.execute(sql`${insertSeen(rows)} on conflict do nothing`);
        },
      };
    };
  },
};
