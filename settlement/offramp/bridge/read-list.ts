// Reads the provider's list of transfers into `provider_transfer`, a page at a time, from the newest down to what was read
// before, and further down where somebody looks for older ones. Each page is kept with the place where it ended: a reading
// goes on where it stopped, whoever began it, and what is old enough to be whole is never read again.
//
// A reading shows every transfer that the list had when it began. One that the list shows later than its own moment may be
// missed, but belongs to what is young, and that is read again each time.
import { randomUUID } from "node:crypto";
import { and, eq, lt, or, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { providerTransfer, transferListScan, transferLookup } from "#core/db/schema/off-ramp.ts";
import { ApiError, type Listed } from "./api.ts";

export type ListOptions = {
  database: Database;
  /** Whose list it is. */
  account: string;
  /** The next page after this transfer, the newest first; nothing at the list's end. */
  page(after: string | undefined): Promise<Listed[]>;
  /** How long a page may take. */
  pageMs: number;
};

/** `page`: one was read. `taken`: somebody else reads. `done`: nobody needs more. */
export type Step = "page" | "taken" | "done";

type Reading = typeof transferListScan.$inferSelect;
type Change = Partial<typeof transferListScan.$inferInsert>;

/** After so long the list has whatever it will ever have of a moment. Clocks differ, too. */
const WHOLE_AFTER_MS = 600_000;
/** Beside what the page takes. */
const WRITING_MS = 5_000;
/** No reference of ours is longer. */
const LONGEST_REFERENCE = 200;
const BEGINNING = new Date(0);

/**
 * That the list does not have it: a reading that began late enough came down to what was known, and that goes back far
 * enough, or it has passed the moment before which the transfer cannot be.
 */
export const isAbsent = sql<boolean>`(
  ${transferListScan.completeSince} >= ${transferLookup.since} and ${transferListScan.knownFrom} <= ${transferLookup.notBefore}
  or ${transferListScan.beganAt} >= ${transferLookup.since} and ${transferListScan.lastAt} < ${transferLookup.notBefore})`;

/** The list is not in the order that it was in, or its last transfer is gone: what was read of it is not connected. */
class Disconnected extends Error {
  override readonly name = "Disconnected";
}

const createdAt = (transfer: Listed): Date => new Date(transfer.created_at);

function checkOrder(items: Listed[], after: Date | null): void {
  let last = after?.getTime() ?? Infinity;
  for (const item of items) {
    const at = createdAt(item).getTime();
    if (!(at <= last)) throw new Disconnected("The provider's list is not in the order of creation.");
    last = at;
  }
}

export function createListReader({ database, account, page, pageMs }: ListOptions) {
  const reader = randomUUID();
  const readUntil = sql`clock_timestamp() + ${pageMs + WRITING_MS} * interval '1 millisecond'`;
  let exists = false;
  const mine = and(eq(transferListScan.account, account), eq(transferListScan.reader, reader));

  /** The list, and what is wanted of it: undefined while somebody else reads. */
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
        // Nothing has begun since then: what is below is only missing.
        anew: sql<boolean>`coalesce(bool_or(${transferListScan.completeSince} is null
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

  /** Everything that a page shows, and how far the list was read with it, if nobody else reads meanwhile. */
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

  /** Down from the newest transfer, or from where the reading stopped. */
  async function readNew(reading: Reading, beganAt: Date): Promise<void> {
    const items = await page(reading.lastId ?? undefined);
    checkOrder(items, reading.lastAt);
    const { knownUntil } = reading;
    const last = items.at(-1);
    const whole = items.map(createdAt).find((at) => at.getTime() < beganAt.getTime() - WHOLE_AFTER_MS);
    const knownNext = reading.knownNext ?? whole ?? null;
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

  /** Down from the oldest transfer that is known. */
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

  /** Where the list cannot be gone on with, all of it is read again. */
  const forget = () =>
    database
      .update(transferListScan)
      .set({
        ...{ beganAt: null, lastId: null, lastAt: null, knownNext: null, completeSince: null },
        ...{ knownFrom: null, knownFromId: null, knownUntil: null, readUntil: BEGINNING },
      })
      .where(mine);

  /**
   * Reads a page, if somebody needs one or a reading is under way.
   * @throws whatever keeps the provider from answering
   */
  return async function step(): Promise<Step> {
    const taken = await take();
    if (!taken) return "taken";
    const { reading, wanted } = taken;
    try {
      if (reading.beganAt) await readNew(reading, reading.beganAt);
      else if (wanted.anew) await readNew(reading, wanted.now);
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
