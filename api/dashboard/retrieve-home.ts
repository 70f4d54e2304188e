// Retrieves the data of the dashboard's home page: where the funds are, and what needs attention. GET /dashboard/home.
import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { workItem } from "#core/db/schema/work.ts";
import { type Currency, formatAmount } from "#core/money.ts";
import { readLedger } from "../balance/retrieve-balance.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { type Attention, readAttention, type Scope } from "./read-attention.ts";

/** Upper limit. Few orders wait for on-chain settlement unless the off-ramp is unavailable. */
const MOST_WAITING = 1_000;

/** Balances of a currency as decimal amounts. `inEscrow` does not include `released`. */
type Whereabouts = {
  currency: Currency;
  inEscrow: string;
  released: string;
  inTransit: string;
  paid: string;
};

export type Home = { balance: Whereabouts[]; attention: Attention };

const [i, o, w] = [alias(intent, "i"), alias(chain.order, "o"), alias(workItem, "w")];

/** Reads the funds that are released but still in the escrow, in the smallest unit, by currency. */
async function readReleased(database: Database, { merchantId, mode, deploymentId }: Scope) {
  const { rows } = await database.execute<{ currency: Currency; amount: string }>(sql`
    select ${i.currency}, sum(${o.released} - ${o.settled} - ${o.withdrawn})::text as amount from (
      select ${w.orderId}, ${w.merchantId} from ${workItem} w
      where ${eq(w.merchantId, merchantId)} and ${w.purpose} = 'settle' and ${w.deploymentId} = ${deploymentId}
      order by ${w.due} limit ${MOST_WAITING}) w
    join ${chain.order} o on ${o.id} = ${w.orderId} and ${o.released} > ${o.settled} + ${o.withdrawn}
    join ${intent} i on ${i.id} = ${w.orderId} and ${i.merchantId} = ${w.merchantId}
    where ${i.mode} = ${mode} group by ${i.currency}`);
  return new Map(rows.map(({ currency, amount }) => [currency, BigInt(amount)]));
}

export async function retrieveHome(services: Services, call: Call): Promise<Home> {
  const { database, deployment, paymentTime } = services;
  const { merchantId, mode } = call.caller;
  const scope = { merchantId, mode, deploymentId: deployment.id };
  const [ledger, released, attention] = await Promise.all([
    readLedger(services, call.caller),
    readReleased(database, scope),
    paymentTime().then((now) => readAttention(database, scope, now)),
  ]);
  const [inTransit, paid] = [ledger.on("in_transit"), ledger.on("paid")];
  const balance = ledger.on("custody").map(({ units: custody, currency }, index): Whereabouts => {
    const free = released.get(currency) ?? 0n;
    return {
      currency,
      // The ledger may not have posted the latest funding yet, although its funds are already released.
      inEscrow: formatAmount(custody > free ? custody - free : 0n, currency),
      released: formatAmount(free, currency),
      inTransit: formatAmount(inTransit[index]?.units ?? 0n, currency),
      paid: formatAmount(paid[index]?.units ?? 0n, currency),
    };
  });
  return { balance, attention };
}
