// Retrieve what the dashboard's home shows: where the money is, and what needs attention. GET /dashboard/home.
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { type Currency, formatAmount, parseAmount } from "#core/money.ts";
import { retrieveBalance } from "../balance/retrieve-balance.ts";
import type { Call } from "../http/call.ts";
import type { Services } from "../services.ts";
import { type Attention, readAttention, type Scope } from "./read-attention.ts";

/** Orders that wait for their settlement are few, unless the off-ramp stands still. */
const MOST_WAITING = 1_000;

/** Decimal amounts. `inEscrow` holds `released` no more. */
type Whereabouts = {
  currency: Currency;
  inEscrow: string;
  released: string;
  inTransit: string;
  paid: string;
};

export type Home = { balance: Whereabouts[]; attention: Attention };

/** What is released and still in the escrow, in the smallest unit, by currency. */
async function readReleased(database: Database, { merchantId, mode, deploymentId }: Scope) {
  const { rows } = await database.execute<{ currency: Currency; amount: string }>(sql`
    select i.currency, sum(o.released - o.settled - o.withdrawn)::text as amount from (
      select order_id, merchant_id from gateway.work_item
      where merchant_id = ${merchantId} and purpose = 'settle' and deployment_id = ${deploymentId}
      order by due limit ${MOST_WAITING}) w
    join chain."order" o on o.id = w.order_id and o.released > o.settled + o.withdrawn
    join gateway.intent i on i.order_id = w.order_id and i.merchant_id = w.merchant_id
    where i.mode = ${mode} group by i.currency`);
  return new Map(rows.map(({ currency, amount }) => [currency, BigInt(amount)]));
}

function unitsOf(amount: string, currency: Currency): bigint {
  const units = parseAmount(amount, currency);
  if (typeof units !== "bigint") throw new Error(`${amount} ${currency} is no amount.`);
  return units;
}

export async function retrieveHome(services: Services, call: Call): Promise<Home> {
  const { database, deployment, paymentTime } = services;
  const { merchantId, mode } = call.caller;
  const scope = { merchantId, mode, deploymentId: deployment.id };
  const [balance, released, attention] = await Promise.all([
    retrieveBalance(services, call),
    readReleased(database, scope),
    paymentTime().then((now) => readAttention(database, scope, now)),
  ]);
  const inCurrency = (amounts: { amount: string; currency: string }[], currency: Currency): string =>
    amounts.find((one) => one.currency === currency)?.amount ?? formatAmount(0n, currency);
  const whereabouts = balance.pending.map(({ amount, currency }): Whereabouts => {
    const custody = unitsOf(amount, currency);
    const free = released.get(currency) ?? 0n;
    return {
      currency,
      // The ledger may not have posted the newest funding that is released already.
      inEscrow: formatAmount(custody > free ? custody - free : 0n, currency),
      released: formatAmount(free, currency),
      inTransit: inCurrency(balance.inTransit, currency),
      paid: inCurrency(balance.paid, currency),
    };
  });
  return { balance: whereabouts, attention };
}
