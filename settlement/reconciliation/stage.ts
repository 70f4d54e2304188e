// A check that runs in pages. A page's findings are stored with the position of the next page, so a run can be
// interrupted between any two pages.
import type { Transaction } from "#core/db/client.ts";
import type { Check, Finding } from "./discrepancy.ts";
import type { Dependencies, Scope } from "./scope.ts";
import type { StoredRun } from "./stored-run.ts";

export type Page = {
  found: Finding[];
  /** The start of the next page, as JSON; null if this was the last page. */
  cursor: unknown;
  /** Runs in the transaction that stores the page. */
  write?: (tx: Transaction) => Promise<unknown>;
};

/**
 * @param cursor null for the first page
 * @param now the database's time, not later than the start of the page
 */
export type ReadPage = (cursor: unknown, now: Date) => Promise<Page>;

export type Comparison = { parts: Dependencies; scope: Scope; run: StoredRun };

export type Stage = {
  name: Check | "foreign";
  open(comparison: Comparison): ReadPage;
};
