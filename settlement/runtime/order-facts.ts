// Reads the facts that an order's work is derived from (derive-work.ts).
import { sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { Context } from "./context.ts";
import { ORDER_FACTS, type OrderFacts, type WorkRules } from "./derive-work.ts";

type OrderJson = Record<string, string | number | boolean | null>;
export type Found = Omit<OrderFacts, "order" | "completedAmount"> & {
  order: OrderJson | null;
  completedAmount: string;
};

/** Larger than a JSON number can be. */
const AMOUNTS: readonly string[] = [
  "released",
  "settled",
  "withdrawn",
] satisfies (typeof ORDER_FACTS)[number][];

const nameColumn = (name: string): string =>
  `'${name}', o.${toSnakeCase(name)}${AMOUNTS.includes(name) ? "::text" : ""}`;
const ORDER_JSON = sql.raw(`json_build_object(${ORDER_FACTS.map(nameColumn).join(", ")})`);

export const restoreFacts = ({ order, completedAmount, ...rest }: Found): OrderFacts => ({
  ...rest,
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

/** The facts of intents (`i`) and their orders (`o`), as JSON. */
export const FACTS = sql`json_build_object('orderId', i.order_id, 'merchantId', i.merchant_id,
  'canceled', i.canceled_at is not null,
  'plannedSettlements', (select count(distinct p.settlement_id)::int from gateway.payout p where p.intent_id = i.id),
  'completedAmount', (select coalesce(sum(m.amount), 0)::text from gateway.milestone m
    where m.intent_id = i.id and m.completed_at is not null),
  'order', case when o.id is not null then ${ORDER_JSON} end)`;
