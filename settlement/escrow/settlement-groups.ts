// Orders in the form that the contract's `settle` takes: their common terms once, then the terms of each.
import type { Terms } from "#core/chain/terms.ts";

type OwnTerms = Pick<Terms, "salt" | "payee" | "payer" | "amount" | "fundingDeadline">;
type CommonTerms = Omit<Terms, keyof OwnTerms>;
export type SettlementGroup = { common: CommonTerms; orders: readonly OwnTerms[] };

function split({ salt, payee, payer, amount, fundingDeadline, ...common }: Terms) {
  return { common, own: { salt, payee, payer, amount, fundingDeadline } };
}

/**
 * The same for terms that encode to the same words: neither the case of their hex nor the order of their fields
 * matters.
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

/** The inverse: the terms of every order of a `settle` call. */
export const listSettled = (groups: readonly SettlementGroup[]): Terms[] =>
  groups.flatMap(({ common, orders }) => orders.map((own) => ({ ...common, ...own })));
