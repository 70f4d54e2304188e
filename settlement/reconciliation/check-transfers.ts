// Compares each account's list of transfers with the payouts. A run reads each list once, page by page;
// check-unlisted.ts does the reverse.
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
  /** The `providerId` of the last transfer that was read; null at the start of the account's list. */
  after: string | null;
};

const insertSeen = insertMany(reconciliationTransfer, ["runId", "account", "reference", "providerId"]);

/** Returns one adapter per account, sorted by account. */
export const sortOffRamps = ({ offRamps }: Dependencies): OffRamp[] =>
  listOffRamps(offRamps).sort((a, b) => (a.account < b.account ? -1 : 1));

/**
 * Returns the adapter of an account or, if the account is no longer configured, of the next configured one; undefined
 * after the last. The adapters must be sorted.
 */
export const findAccount = (offRamps: readonly OffRamp[], account: string): OffRamp | undefined =>
  offRamps.find((offRamp) => offRamp.account >= account);

export const nextAccount = (offRamps: readonly OffRamp[], { account }: OffRamp): OffRamp | undefined =>
  offRamps.find((offRamp) => offRamp.account > account);

/**
 * Returns those references that the run has already read from the account's list, each with the `providerId` of its
 * first transfer.
 */
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

/** Sets `first` on every transfer whose reference another transfer already has. Adds new references to `seen`. */
function markDuplicates(transfers: readonly ListedTransfer[], seen: Map<string, string>): ListedTransfer[] {
  return transfers.map((transfer) => {
    const { reference, providerId } = transfer;
    const first = seen.get(reference) ?? providerId;
    seen.set(reference, first);
    return first === providerId ? transfer : { ...transfer, first };
  });
}

/**
 * Compares transfers with their payouts, which are read after the transfers: a payout exists before its transfer, so
 * none can be missing.
 */
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

async function readPage(list: AsyncIterator<Transfer>): Promise<{ page: Transfer[]; isLast: boolean }> {
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
      const { page, isLast } = await readPage(
        await open(offRamp, account === cursor.account ? cursor.after : null),
      );
      const read = page.map((transfer) => buildListedTransfer(offRamp, transfer, now));
      const seen = await findListed(
        parts,
        run,
        account,
        read.map(({ reference }) => reference),
      );
      const found = await compareListed(parts, scope, markDuplicates(read, seen));
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
