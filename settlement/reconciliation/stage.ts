// A check in pages. A page's findings are stored with the position of the next page, so a run can be interrupted
// between any two.
import type { Transaction } from "#core/db/client.ts";
import type { Check, Finding } from "./discrepancy.ts";
import type { Parts, Scope } from "./scope.ts";
import type { StoredRun } from "./stored-run.ts";

export type Page = {
  found: Finding[];
  /** JSON: the start of the next page. Null: this was the last page. */
  cursor: unknown;
  /** Runs in the transaction that stores the page. */
  write?: (tx: Transaction) => Promise<unknown>;
};

/**
 * @param cursor null at the beginning
 * @param now the database's time, not later than the start of the page
 */
export type ReadPage = (cursor: unknown, now: Date) => Promise<Page>;

export type Comparison = { parts: Parts; scope: Scope; run: StoredRun };

export type Stage = {
  name: Check | "foreign";
  open(comparison: Comparison): ReadPage;
};
