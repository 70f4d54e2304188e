// Orders as the contract's `settle` takes them: what several have in common once, before what each has of its own.
import type { Terms } from "#core/chain/terms.ts";

type OwnTerms = Pick<Terms, "salt" | "payee" | "payer" | "amount" | "fundingDeadline">;
type CommonTerms = Omit<Terms, keyof OwnTerms>;
type SettlementGroup = { common: CommonTerms; orders: OwnTerms[] };

function split({ salt, payee, payer, amount, fundingDeadline, ...common }: Terms) {
  return { common, own: { salt, payee, payer, amount, fundingDeadline } };
}

/** The same for terms that encode to the same words, whatever the case of their hex and the order of their fields. */
const keyOf = (common: CommonTerms): string =>
  JSON.stringify(Object.entries(common).sort(([a], [b]) => (a < b ? -1 : 1))).toLowerCase();

/** Groups orders by their common terms, which cost gas once a group. Groups and orders keep their first place. */
export function groupForSettlement(orders: Terms[]): SettlementGroup[] {
  const groups = Map.groupBy(orders.map(split), ({ common }) => keyOf(common));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ common: first.common, orders: [first, ...others].map(({ own }) => own) }] : [],
  );
}
