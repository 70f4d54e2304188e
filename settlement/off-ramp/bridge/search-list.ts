// Finds a transfer by our reference in the stored list, because the provider's API cannot search by reference.
import { setTimeout as delay } from "node:timers/promises";
import DataLoader from "dataloader";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import pTimeout from "p-timeout";
import { providerTransfer, transferListScan, transferLookup } from "#core/db/schema/off-ramp.ts";
import { createListReader, isAbsent, type ListOptions } from "./read-list.ts";

export type Wanted = {
  reference: string;
  /** The transfer cannot be older than this. */
  notBefore: Date;
};

/** Rounded down to milliseconds, like the start times of reads. */
const since = sql`date_trunc('milliseconds', clock_timestamp())`;

/** Interval at which to check whether another process has read further. */
const OTHERS_MS = 100;

function createProgress() {
  const progress = Promise.withResolvers<void>();
  // A failure may occur while no caller is waiting; the next caller receives the same failure.
  progress.promise.catch(() => undefined);
  return progress;
}

export type Search = {
  /**
   * Returns the provider's id of a transfer; undefined if the provider's list does not contain it. Only the holder of
   * the payout's lease calls this method, and only while no call with this reference is in progress.
   * @throws if the result is not known in time: the read goes on, and the next call continues with it
   */
  find(wanted: Wanted): Promise<string | undefined>;
  /** Discards an earlier search, which proves nothing once a transfer is ordered with this reference. */
  forget(reference: string): Promise<void>;
};

/** @param findMs the maximum duration of a search */
export function openSearch(options: ListOptions & { findMs: number }): Search {
  const { database, account, findMs } = options;
  const step = createListReader(options);
  const hasReference = (references: readonly string[]) =>
    and(eq(transferLookup.account, account), inArray(transferLookup.reference, [...references]));

  let waiting = 0;
  let isReading = false;
  let progress = createProgress();

  /**
   * Reads the list until no caller needs more. A read that has started continues to its end, even if no caller waits
   * for it.
   */
  async function read(): Promise<void> {
    while (isReading) {
      const { resolve, reject } = progress;
      try {
        const result = await step();
        if (result === "taken") await delay(OTHERS_MS);
        isReading = result === "page" || (result === "taken" && waiting > 0);
        progress = createProgress();
        resolve();
      } catch (error) {
        isReading = false;
        progress = createProgress();
        reject(error);
      }
    }
  }

  /** Settles when the read has progressed. */
  function waitForProgress(): Promise<void> {
    const { promise } = progress;
    if (!isReading) {
      isReading = true;
      void read();
    }
    return promise;
  }

  async function listed(references: readonly string[]): Promise<Map<string, string>> {
    const rows = await database
      .selectDistinctOn([providerTransfer.reference])
      .from(providerTransfer)
      .where(and(eq(providerTransfer.account, account), inArray(providerTransfer.reference, [...references])))
      .orderBy(providerTransfer.reference, desc(providerTransfer.createdAt));
    return new Map(rows.map(({ reference, providerId }) => [reference, providerId]));
  }

  async function absent(references: readonly string[]): Promise<string[]> {
    const rows = await database
      .select({ reference: transferLookup.reference })
      .from(transferLookup)
      .innerJoin(transferListScan, eq(transferListScan.account, transferLookup.account))
      .where(and(hasReference(references), isAbsent));
    return rows.map(({ reference }) => reference);
  }

  const want = (wanted: readonly Wanted[]) =>
    database
      .insert(transferLookup)
      .values(wanted.map((one) => ({ account, since, ...one })))
      .onConflictDoUpdate({
        target: [transferLookup.account, transferLookup.reference],
        set: { notBefore: sql`least(${transferLookup.notBefore}, excluded.not_before)` },
      });

  async function findAll(asked: readonly Wanted[]): Promise<(string | undefined | Error)[]> {
    const latest = performance.now() + findMs;
    const wanted = [...new Map(asked.map((one) => [one.reference, one])).values()];
    const answers = new Map<string, string | undefined>();
    const open = () => wanted.filter(({ reference }) => !answers.has(reference));
    /**
     * Checks for absence first, then for presence: a transfer that is listed between the two queries is found, and an
     * absent one stays absent.
     */
    async function check(): Promise<void> {
      const references = open().map(({ reference }) => reference);
      const gone = await absent(references);
      const found = await listed(references);
      for (const reference of gone) answers.set(reference, undefined);
      for (const [reference, id] of found) answers.set(reference, id);
    }
    const known = await listed(wanted.map(({ reference }) => reference));
    for (const [reference, id] of known) answers.set(reference, id);
    if (open().length > 0) await want(open());
    while (open().length > 0 && performance.now() < latest) {
      const change = waitForProgress();
      // Checks before waiting, because another process may have been faster.
      await check();
      if (open().length === 0) break;
      await pTimeout(change, { milliseconds: Math.max(1, latest - performance.now()), message: false });
      await check();
    }
    if (answers.size > 0) await database.delete(transferLookup).where(hasReference([...answers.keys()]));
    return asked.map(({ reference }) =>
      answers.has(reference)
        ? answers.get(reference)
        : new Error("The provider's list is long and has not been read completely yet."),
    );
  }

  /** Concurrent searches share one read. */
  const loader = new DataLoader(
    async (wanted: readonly Wanted[]) => {
      waiting++;
      try {
        return await findAll(wanted);
      } finally {
        waiting--;
      }
    },
    { cache: false },
  );

  return {
    find: (wanted) => loader.load(wanted),
    async forget(reference) {
      await database.delete(transferLookup).where(hasReference([reference]));
    },
  };
}
