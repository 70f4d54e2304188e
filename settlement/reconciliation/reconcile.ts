// Compares the ledger, the contract, the payouts and the providers with each other, page by page, and reports every
// difference (docs/ledger.md).

import { pauseFor } from "../runtime/pace.ts";
import { balances, compareBalances } from "./check-balances.ts";
import { compareContractInRun, contract } from "./check-contract.ts";
import { comparePayments, payments } from "./check-payments.ts";
import { transfers } from "./check-transfers.ts";
import { compareUnlisted, unlisted } from "./check-unlisted.ts";
import { compareWallets, wallets } from "./check-wallets.ts";
import { compareTransfersAgain } from "./compare-again.ts";
import { type Discrepancy, type DiscrepancyKind, type Finding, nameFinding } from "./discrepancy.ts";
import { foreign } from "./foreign-orders.ts";
import type { Dependencies, Scope } from "./scope.ts";
import type { Comparison, Stage } from "./stage.ts";
import {
  beginRun,
  confirm,
  endRun,
  forgetTransfers,
  pickSubjects,
  readFindings,
  readUnconfirmed,
  releaseRun,
  type StoredFinding,
  type StoredRun,
  storePage,
} from "./stored-run.ts";

/**
 * Delay before the second comparison. Facts that change during a comparison differ temporarily, so a difference counts
 * only if both comparisons find it.
 */
const SECOND_READ_MS = 3_000;
/** Maximum pause after a page. A run pauses for as long as the page took, up to this maximum. */
const LONGEST_PAUSE_MS = 1_000;
/**
 * Returns the stages in execution order. Balances cover all postings; contract and wallets are shared by all merchants.
 */
function chooseStages({ merchantId, sealed }: Scope): Stage[] {
  const isShared = merchantId === undefined;
  return [
    ...(sealed ? [] : [balances]),
    ...[payments, transfers, unlisted],
    ...(isShared && !sealed?.foreign ? [foreign] : []),
    ...(isShared ? [contract, wallets] : []),
  ];
}

/** @throws the signal's reason if it is aborted */
async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pauseFor(ms, signal);
  signal?.throwIfAborted();
}

/** Processes the remaining pages. */
async function compareAll(comparison: Comparison): Promise<void> {
  const { parts, scope, run } = comparison;
  const stages = chooseStages(scope);
  let now = run.createdAt;
  const resumed = stages.findIndex(({ name }) => name === run.stage);
  if (run.stage === "confirm") return;
  for (const [index, stage] of stages.entries()) {
    if (index < resumed) continue;
    const readPage = stage.open(comparison);
    const following = stages[index + 1]?.name ?? "confirm";
    for (let cursor: unknown = index === resumed ? run.cursor : null; ; ) {
      parts.signal?.throwIfAborted();
      const beganAt = performance.now();
      const page = await readPage(cursor, now);
      const place =
        page.cursor === null
          ? { stage: following, cursor: null }
          : { stage: stage.name, cursor: page.cursor };
      now = await storePage(parts.database, run, place, page.found, page.write);
      if (page.cursor === null) break;
      cursor = page.cursor;
      await wait(Math.min(performance.now() - beganAt, LONGEST_PAUSE_MS), parts.signal);
    }
  }
}

/** Compares the subjects of the findings again. All of these findings come from one check. */
async function compareAgain(comparison: Comparison, found: readonly StoredFinding[]): Promise<Finding[]> {
  const { parts } = comparison;
  switch (found[0]?.subject.check) {
    case "balances": {
      const merchants = new Set(pickSubjects(found, "balances").map(({ merchantId }) => merchantId));
      const again: Finding[] = [];
      for (const merchantId of merchants) again.push(...(await compareBalances(parts, merchantId)));
      return again;
    }
    case "payments":
      return comparePayments(parts, [
        ...new Set(pickSubjects(found, "payments").map(({ intentId }) => intentId)),
      ]);
    case "transfers":
      return compareTransfersAgain(
        comparison,
        pickSubjects(found, "transfers").map(({ transfer }) => transfer),
      );
    case "unlisted": {
      const byAccount = Map.groupBy(pickSubjects(found, "unlisted"), ({ account }) => account);
      const again: Finding[] = [];
      for (const [account, subjects] of byAccount) {
        const ids = new Set(subjects.map(({ payoutId }) => payoutId));
        again.push(...(await compareUnlisted(parts, account, [...ids])));
      }
      return again;
    }
    case "contract":
      return compareContractInRun(comparison);
    case "wallets":
      return compareWallets(parts);
    case undefined:
      return [];
  }
}

/** Compares the findings a second time. */
async function confirmAll(comparison: Comparison, secondReadMs: number): Promise<void> {
  const { parts, run } = comparison;
  let found = await readUnconfirmed(parts.database, run);
  if (found.length > 0) await wait(secondReadMs, parts.signal);
  while (found.length > 0) {
    parts.signal?.throwIfAborted();
    const names = new Set(found.map(nameFinding));
    const certain = new Set(found.filter(({ token }) => token).map(nameFinding));
    const again = await compareAgain(comparison, found);
    await storePage(parts.database, run, { stage: "confirm", cursor: null }, []);
    await confirm(
      parts.database,
      run,
      found,
      again
        .filter((one) => names.has(nameFinding(one)))
        .map(({ token, ...one }) => (token && certain.has(nameFinding(one)) ? { ...one, token } : one)),
    );
    found = await readUnconfirmed(parts.database, run);
  }
}

/** The order in which differences are reported, which is the order of the checks. */
const RANKS: Record<DiscrepancyKind, number> = {
  wrong_balance: 0,
  missing_posting: 1,
  unplanned_payout: 2,
  unknown_transfer: 3,
  different_transfer: 3,
  missing_transfer: 3,
  conversion: 3,
  contract_shortfall: 4,
  contract_surplus: 4,
  escrow_order: 4,
  wallet_shortfall: 5,
};

/**
 * Executes a run from its stored position.
 * @param end stores the run's outcome, and removes the run
 * @returns every difference; an empty result proves that the books are correct
 * @throws if the database, the chain or a provider does not respond, in which case nothing is known; or the signal's
 *   reason
 */
export async function carryOut(
  parts: Dependencies,
  run: StoredRun,
  end: (found: Discrepancy[]) => Promise<void>,
  secondReadMs = SECOND_READ_MS,
): Promise<Discrepancy[]> {
  const { merchantId, since, sealed } = run;
  const scope: Scope = { since, ...(merchantId ? { merchantId } : {}), ...(sealed ? { sealed } : {}) };
  const comparison = { parts, scope, run };
  try {
    await compareAll(comparison);
    await confirmAll(comparison, secondReadMs);
    const found = await readFindings(parts.database, run);
    found.sort((a, b) => RANKS[a.kind] - RANKS[b.kind]);
    await forgetTransfers(parts.database, run);
    await end(found);
    return found;
  } catch (error) {
    await releaseRun(parts.database, run).catch(() => undefined);
    throw error;
  }
}

/**
 * Executes a complete reconciliation that is never resumed.
 * @param secondReadMs the delay between the first comparison and the second
 * @returns the same as `carryOut`, which also documents the errors
 */
export async function reconcile(
  parts: Dependencies,
  scope: Scope,
  secondReadMs?: number,
): Promise<Discrepancy[]> {
  const { database } = parts;
  const run = await database.transaction((tx) => beginRun(tx, parts, scope));
  const end = () => endRun(database, run);
  return carryOut(parts, run, end, secondReadMs);
}
