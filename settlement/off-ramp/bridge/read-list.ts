// Reads the provider's list of transfers into `provider_transfer`, page by page, from the newest transfer down to the
// known range, and further down if a search needs older transfers. Each page is stored together with the position of
// its end, so any process can continue an interrupted read. A range that is old enough to be complete is never read
// again.
//
// A read shows every transfer that the list had when the read started. A transfer that appears in the list later than
// its own creation time may be missed, but it belongs to the recent range, which is read again each time.
import { randomUUID } from "node:crypto";
import { and, eq, lt, or, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { providerTransfer, transferListScan, transferLookup } from "#core/db/schema/off-ramp.ts";
import { ApiError, type Listed } from "./api.ts";

export type ListOptions = {
  database: Database;
  /** The owner of the list. */
  account: string;
  /** Returns the page after the given transfer, newest first; empty at the end of the list. */
  page(after: string | undefined): Promise<Listed[]>;
  /** The time limit for a page. */
  pageMs: number;
};

/** `page`: a page was read. `taken`: another process is reading. `done`: no caller needs more pages. */
export type Step = "page" | "taken" | "done";

type Reading = typeof transferListScan.$inferSelect;
type Change = Partial<typeof transferListScan.$inferInsert>;

/** Time after which the list is complete for a given moment, including clock differences. */
const COMPLETE_AFTER_MS = 600_000;
/** Time to store a page, in addition to the time limit for reading it. */
const WRITING_MS = 5_000;
/** The maximum length of our references. */
const LONGEST_REFERENCE = 200;
const BEGINNING = new Date(0);

/**
 * Whether the list provably lacks a transfer: a read that started late enough has either reached the known range, which
 * goes back far enough, or passed the earliest time at which the transfer can exist.
 */
export const isAbsent = sql<boolean>`(
  ${transferListScan.completeSince} >= ${transferLookup.since} and ${transferListScan.knownFrom} <= ${transferLookup.notBefore}
  or ${transferListScan.beganAt} >= ${transferLookup.since} and ${transferListScan.lastAt} < ${transferLookup.notBefore})`;

/**
 * The pages that were read are not contiguous: the list's order has changed, or it no longer contains its last
 * transfer.
 */
class Disconnected extends Error {
  override readonly name = "Disconnected";
}

const createdAt = (transfer: Listed): Date => new Date(transfer.created_at);

function checkOrder(items: Listed[], after: Date | null): void {
  let last = after?.getTime() ?? Infinity;
  for (const item of items) {
    const at = createdAt(item).getTime();
    if (!(at <= last)) throw new Disconnected("The provider's list is not sorted by creation time.");
    last = at;
  }
}

export function createListReader({ database, account, page, pageMs }: ListOptions) {
  const reader = randomUUID();
  const readUntil = sql`clock_timestamp() + ${pageMs + WRITING_MS} * interval '1 millisecond'`;
  let exists = false;
  const mine = and(eq(transferListScan.account, account), eq(transferListScan.reader, reader));

  /**
   * Takes the lease on the list, and returns the list's state with the pending searches; undefined while another
   * process reads.
   */
  async function take() {
    if (!exists) await database.insert(transferListScan).values({ account }).onConflictDoNothing();
    exists = true;
    const free = or(
      eq(transferListScan.reader, reader),
      lt(transferListScan.readUntil, sql`clock_timestamp()`),
    );
    const [reading] = await database
      .update(transferListScan)
      .set({ reader, readUntil })
      .where(and(eq(transferListScan.account, account), free))
      .returning();
    if (!reading) return undefined;
    const [wanted] = await database
      .select({
        // If no search has started since that read, only the older range is missing.
        fromNewest: sql<boolean>`coalesce(bool_or(${transferListScan.completeSince} is null
          or ${transferListScan.completeSince} < ${transferLookup.since}), false)`,
        any: sql<boolean>`count(*) > 0`,
        now: sql<Date>`clock_timestamp()`.mapWith(transferListScan.beganAt),
      })
      .from(transferLookup)
      .innerJoin(transferListScan, eq(transferListScan.account, transferLookup.account))
      .where(and(eq(transferLookup.account, account), sql`${isAbsent} is not true`));
    return wanted && { reading, wanted };
  }

  const letGo = () => database.update(transferListScan).set({ readUntil: BEGINNING }).where(mine);

  /** Stores a page and the progress of the read, unless another process has taken over the read in the meantime. */
  const keep = (items: Listed[], change: Change): Promise<void> =>
    database.transaction(async (tx) => {
      const [still] = await tx
        .update(transferListScan)
        .set({ ...change, readUntil })
        .where(mine)
        .returning({ account: transferListScan.account });
      if (!still) return;
      const rows = items.flatMap((item) => {
        const reference = item.client_reference_id;
        if (!reference || reference.length > LONGEST_REFERENCE) return [];
        return [{ account, providerId: item.id, reference, createdAt: createdAt(item) }];
      });
      if (rows.length > 0) await tx.insert(providerTransfer).values(rows).onConflictDoNothing();
    });

  /** Reads the next page from the newest transfer, or from where the read stopped. */
  async function readNew(reading: Reading, beganAt: Date): Promise<void> {
    const items = await page(reading.lastId ?? undefined);
    checkOrder(items, reading.lastAt);
    const { knownUntil } = reading;
    const last = items.at(-1);
    const complete = items.map(createdAt).find((at) => at.getTime() < beganAt.getTime() - COMPLETE_AFTER_MS);
    const knownNext = reading.knownNext ?? complete ?? null;
    const over: Change = {
      ...{ beganAt: null, lastId: null, lastAt: null, knownNext: null, completeSince: beganAt },
      knownUntil: knownNext ?? knownUntil ?? BEGINNING,
    };
    if (!last) return keep(items, { ...over, knownFrom: BEGINNING, knownFromId: null });
    const lastAt = createdAt(last);
    if (knownUntil && lastAt < knownUntil) return keep(items, over);
    if (!knownUntil && knownNext) return keep(items, { ...over, knownFrom: lastAt, knownFromId: last.id });
    return keep(items, { beganAt, lastId: last.id, lastAt, knownNext });
  }

  /** Reads the next page from the oldest known transfer. */
  async function readOld({ knownFrom, knownFromId }: Reading): Promise<void> {
    const items = await page(knownFromId ?? undefined);
    checkOrder(items, knownFrom);
    const last = items.at(-1);
    await keep(
      items,
      last
        ? { knownFrom: createdAt(last), knownFromId: last.id }
        : { knownFrom: BEGINNING, knownFromId: null },
    );
  }

  /** Resets the read if it cannot continue, so that the full list is read again. */
  const forget = () =>
    database
      .update(transferListScan)
      .set({
        ...{ beganAt: null, lastId: null, lastAt: null, knownNext: null, completeSince: null },
        ...{ knownFrom: null, knownFromId: null, knownUntil: null, readUntil: BEGINNING },
      })
      .where(mine);

  /**
   * Reads a page, if a caller needs one or a read is in progress.
   * @throws if the provider does not respond
   */
  return async function step(): Promise<Step> {
    const taken = await take();
    if (!taken) return "taken";
    const { reading, wanted } = taken;
    try {
      if (reading.beganAt) await readNew(reading, reading.beganAt);
      else if (wanted.fromNewest) await readNew(reading, wanted.now);
      else if (wanted.any) await readOld(reading);
      else {
        await letGo();
        return "done";
      }
      return "page";
    } catch (error) {
      const gone = error instanceof ApiError && (error.status === 400 || error.status === 404);
      await (gone || error instanceof Disconnected ? forget() : letGo());
      throw error;
    }
  };
}
