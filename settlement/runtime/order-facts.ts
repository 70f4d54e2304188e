// The SQL expression for the facts from which an order's work is derived (derive-work.ts), and the conversion of its
// result.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText, merchantIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { intent, milestone } from "#core/db/schema/intents.ts";
import type { Context } from "./context.ts";
import { ORDER_FACTS, type OrderFacts, type WorkRules } from "./derive-work.ts";
import { plannedAmount } from "./planned-amount.ts";

type OrderJson = Record<string, string | number | boolean | null>;
export type Found = Omit<OrderFacts, "order" | "plannedAmount" | "completedAmount"> & {
  order: OrderJson | null;
} & Record<"plannedAmount" | "completedAmount", string>;

/** Columns whose values may exceed `Number.MAX_SAFE_INTEGER`. */
const AMOUNTS: readonly string[] = [
  "released",
  "settled",
  "withdrawn",
] satisfies (typeof ORDER_FACTS)[number][];

/** The table aliases that a query with `FACTS` must use: `i` for intents, `o` for their orders. */
export const i = alias(intent, "i");
export const o = alias(chain.order, "o");

/** Columns that store bytes. */
const BYTES: readonly string[] = [
  "deliveryOracle",
  "operator",
  "updatedBlockHash",
] satisfies (typeof ORDER_FACTS)[number][];

const nameColumn = (name: (typeof ORDER_FACTS)[number]) => {
  const value = AMOUNTS.includes(name) ? sql`${o[name]}::text` : o[name];
  return sql`${sql.raw(`'${name}'`)}, ${BYTES.includes(name) ? hexText(o[name]) : value}`;
};
const ORDER_JSON = sql`json_build_object(${sql.join(ORDER_FACTS.map(nameColumn), sql`, `)})`;

export const restoreFacts = ({
  order,
  plannedAmount: planned,
  completedAmount,
  ...rest
}: Found): OrderFacts => ({
  ...rest,
  plannedAmount: BigInt(planned),
  completedAmount: BigInt(completedAmount),
  order:
    order &&
    ({
      ...order,
      ...Object.fromEntries(AMOUNTS.map((name) => [name, BigInt(String(order[name]))])),
    } as OrderFacts["order"]),
});

export const buildRules = ({ config, relayer }: Pick<Context, "config" | "relayer">): WorkRules => ({
  confirmations: config.chain.confirmations,
  operator: relayer.account.address.toLowerCase(),
});

/** The facts of an intent (`i`) and its order (`o`), as a JSON object. */
export const FACTS = sql`json_build_object('orderId', ${hexText(i.id)}, 'merchantId', ${merchantIdText(i.merchantId)},
  'canceled', ${i.canceledAt} is not null,
  'plannedAmount', ${plannedAmount(i.id)}::text,
  'completedAmount', (select coalesce(sum(${milestone.amount}), 0)::text from ${milestone}
    where ${milestone.intentId} = ${i.id} and ${milestone.completedAt} is not null),
  'order', case when ${o.id} is not null then ${ORDER_JSON} end)`;
