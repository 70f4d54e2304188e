// Compares ledger, contract, payouts and provider with each other, and names every difference (docs/ledger.md).
import { setTimeout as delay } from "node:timers/promises";
import { checkContract } from "./check-contract.ts";
import { checkBalances, checkPostings } from "./check-ledger.ts";
import { checkPlans, checkProviders, checkWalletBalances } from "./check-payouts.ts";
import type { Discrepancy } from "./discrepancy.ts";
import type { Parts, Scope } from "./scope.ts";

/** What is under way while it is looked at differs for a moment: a difference counts if a second look finds it too. */
const SECOND_LOOK_MS = 3_000;

type Check = (parts: Parts, scope: Scope) => Promise<Discrepancy[]>;

const CHECKS: Check[] = [checkPostings, checkPlans, checkProviders];
/** Over all postings that there are. */
const OF_EVERYTHING: Check[] = [checkBalances];
/** Contract and wallets are shared by all merchants. */
const OF_ALL_MERCHANTS: Check[] = [checkContract, checkWalletBalances];

async function look(parts: Parts, scope: Scope): Promise<Discrepancy[]> {
  const checks = [
    ...(scope.recent ? [] : OF_EVERYTHING),
    ...CHECKS,
    ...(scope.merchantId === undefined ? OF_ALL_MERCHANTS : []),
  ];
  const found: Discrepancy[] = [];
  for (const check of checks) {
    parts.signal?.throwIfAborted();
    found.push(...(await check(parts, scope)));
  }
  return found;
}

const nameOf = ({ kind, about }: Discrepancy): string => `${kind} ${about}`;

/**
 * @param secondLookMs how long after the first look that found something the second begins
 * @returns every difference; none is the proof that the books are right
 * @throws whatever keeps database, chain or provider from answering: then nothing is known; the signal's reason
 */
export async function reconcile(
  parts: Parts,
  scope: Scope,
  secondLookMs = SECOND_LOOK_MS,
): Promise<Discrepancy[]> {
  const first = await look(parts, scope);
  if (first.length === 0) return [];
  await delay(secondLookMs, undefined, parts.signal && { signal: parts.signal });
  const seen = new Set(first.map(nameOf));
  return (await look(parts, scope)).filter((discrepancy) => seen.has(nameOf(discrepancy)));
}
