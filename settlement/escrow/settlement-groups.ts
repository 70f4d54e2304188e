// Groups orders as the contract's `settle` expects them: the common terms once, then each order's own terms.
import type { Terms } from "#core/chain/terms.ts";

type OwnTerms = Pick<Terms, "salt" | "payee" | "payer" | "amount" | "fundingDeadline">;
type CommonTerms = Omit<Terms, keyof OwnTerms>;
export type SettlementGroup = { common: CommonTerms; orders: readonly OwnTerms[] };

function split({ salt, payee, payer, amount, fundingDeadline, ...common }: Terms) {
  return { common, own: { salt, payee, payer, amount, fundingDeadline } };
}

/**
 * Builds a key that is equal for terms with the same encoding: the case of hex values and the order of fields do not
 * matter.
 */
const buildKey = (common: CommonTerms): string =>
  JSON.stringify(Object.entries(common).sort(([a], [b]) => (a < b ? -1 : 1))).toLowerCase();

/**
 * Groups orders by their common terms, which cost gas once per group. Groups and orders keep the order of their first
 * occurrence.
 */
export function groupForSettlement(orders: Terms[]): SettlementGroup[] {
  const groups = Map.groupBy(orders.map(split), ({ common }) => buildKey(common));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ common: first.common, orders: [first, ...others].map(({ own }) => own) }] : [],
  );
}

/** Inverse of groupForSettlement: returns the terms of every order in a `settle` call. */
export const listSettled = (groups: readonly SettlementGroup[]): Terms[] =>
  groups.flatMap(({ common, orders }) => orders.map((own) => ({ ...common, ...own })));
