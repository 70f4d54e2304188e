// Compares the gateway's actions and reports with the ground truth. Each mismatch is a finding.
import { type Address, getAddress, type Hex } from "viem";
import { connectChain } from "#core/chain/client.ts";
import { readConfig } from "#core/config/config.ts";
import { connect, type Database } from "#core/db/client.ts";
import { currentDeployment } from "#core/deployment/deployment.ts";
import { openIndexerGuard } from "#core/indexer-state/guard.ts";
import { CURRENCIES, type Currency } from "#core/money.ts";
import { deadDeliveries, deadPayouts, failedJobs, stuckTransactions } from "#scripts/cli/ops/lists.ts";
import { until, WaitTimeout } from "#scripts/shared/wait.ts";
import { verifyChain } from "#settlement/events/audit-hash-chain.ts";
import { openOffRamps } from "#settlement/off-ramp/open-off-ramps.ts";
import { reconcile } from "#settlement/reconciliation/reconcile.ts";
import type { Actor } from "./actor.ts";
import type { Injected } from "./inject.ts";
import type { Story } from "./plan.ts";
import { sum, type TrueOrder, type TrueTransfer, trueOrders, trueTransfers } from "./truth.ts";
import { findUnexplainedRegressions, type Watch } from "./watch.ts";
import { TIMEOUT_MS, type World } from "./world.ts";

export type Run = { actors: readonly Actor[]; faults: readonly Injected[]; watch: Watch };

/** Stories in which the payee can or must withdraw. */
const WITHDRAWN: readonly Story[] = ["withdraw", "lost_funded"];

const orderIdOf = ({ id }: Actor): Hex => id.replace("intent_", "0x") as Hex;

/** The outcome of a payment according to the chain and the banks only. */
type Truth = { order: TrueOrder | undefined; transfers: TrueTransfer[] };

/**
 * Returns the amount that was paid out of the gateway's own funds: the bank has paid it, but the chain has not settled
 * it.
 */
export const lossOf = ({ order, transfers }: Truth): bigint => {
  const paid = sum(transfers.filter(({ arrived }) => arrived).map(({ amount }) => amount));
  const settled = sum(order?.settled ?? []);
  return paid > settled ? paid - settled : 0n;
};

/** Returns the time at which a bank first accepted a transfer; Infinity if there is none. */
const bankAtOf = ({ transfers }: Truth): number =>
  Math.min(Infinity, ...transfers.map(({ acceptedAt }) => acceptedAt));

function comparePayment(actor: Actor, truth: Truth): string[] {
  const { plan } = actor;
  const { order, transfers } = truth;
  const found: string[] = [];
  const hold = (isSo: boolean, otherwise: string) => {
    if (!isSo)
      found.push(`${plan.name} (${plan.story}, ${plan.fate}, ${plan.method}, ${actor.id}): ${otherwise}`);
  };
  const arrived = transfers.filter((transfer) => transfer.arrived);
  const paid = sum(arrived.map(({ amount }) => amount));
  hold(
    transfers.every(({ currency }) => currency === plan.currency),
    "paid in another currency",
  );
  hold(
    transfers.every(({ state }) => state !== "pending"),
    "a transfer is still under way",
  );
  if (plan.story === "double_spend") {
    hold(paid === 0n || paid === plan.amount, `${paid} of ${plan.amount} was paid out`);
    hold(arrived.length <= 1, `it was paid out ${arrived.length} times`);
    return found;
  }
  if (!order) return [...found, `${plan.name} (${plan.story}): no order is on chain`];
  const settled = sum(order.settled);
  hold(order.created === 1, `its order was created ${order.created} times`);
  hold(order.amount === plan.amount, `its order is over ${order.amount} instead of ${plan.amount}`);
  hold(order.released === plan.payeeAmount, `${order.released} was released instead of ${plan.payeeAmount}`);
  hold(order.refunded === plan.amount - plan.payeeAmount, `${order.refunded} went back to the payer`);
  hold(
    settled + order.withdrawn === order.released,
    `${settled} settled, ${order.withdrawn} withdrawn of ${order.released}`,
  );
  hold(order.withdrawn === 0n || WITHDRAWN.includes(plan.story), "it was withdrawn, by nobody who wanted it");
  const arrives = plan.fate !== "fail" && plan.fate !== "returned" && plan.ending !== "late_return";
  hold(paid === (arrives ? settled : 0n), `${paid} arrived at the bank of ${settled} settled`);
  const parts = plan.story === "milestones" ? plan.milestones.length : 1;
  hold(arrived.length <= parts, `${arrived.length} transfers arrived for ${parts} releases`);
  return found;
}

/** Compares the contract's and the off-ramp's token balances with the contract's own events. */
async function compareBalances(world: World, orders: Map<Hex, TrueOrder>): Promise<string[]> {
  const { contractAddress, tokens, environment } = world.stack;
  const found: string[] = [];
  for (const currency of CURRENCIES) {
    const token = tokens[currency];
    const own = [...orders.values()].filter(
      (order) => order.created > 0 && getAddress(order.token) === getAddress(token),
    );
    const total = (of: (order: TrueOrder) => bigint) => sum(own.map(of));
    const settled = total((order) => sum(order.settled));
    const held = total((order) => order.amount - order.refunded - order.withdrawn) - settled;
    const [inContract, atOffRamp] = await Promise.all([
      world.balanceOf(token, contractAddress),
      world.balanceOf(token, environment.OFF_RAMP_ADDRESS as Address),
    ]);
    if (inContract !== held)
      found.push(`the contract holds ${inContract} ${currency}, its events say ${held}`);
    if (atOffRamp !== settled)
      found.push(`the off-ramp's wallet holds ${atOffRamp} ${currency}, settled were ${settled}`);
  }
  return found;
}

async function compareBooks(world: World, database: Database): Promise<string[]> {
  const config = readConfig({ ...process.env, ...world.stack.environment, RPC_URL: world.stack.rpcUrl });
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const guard = openIndexerGuard(config, { database, client, deployment });
  const offRamps = await openOffRamps(config, database);
  const parts = { config, database, client, deployment, guard, offRamps };
  const differences = await reconcile(parts, { since: new Date(world.startedAt) });
  return differences.map(({ kind, says }) => `reconcile: ${kind}: ${says}`);
}

/** Compares the ledger's losses with those that the chain and the banks prove. */
async function compareLosses(world: World): Promise<string[]> {
  const rows = await world.query<{ currency: Currency; lost: string }>(
    "select currency, (-sum(amount))::text as lost from gateway.ledger_balance where account = 'loss' group by 1",
  );
  const booked = new Map(rows.map(({ currency, lost }) => [currency, BigInt(lost)]));
  return CURRENCIES.flatMap((currency) => {
    const [is, should] = [booked.get(currency) ?? 0n, world.losses.get(currency) ?? 0n];
    return is === should ? [] : [`the ledger has a loss of ${is} ${currency}, chain and banks of ${should}`];
  });
}

type Emitted = {
  id: string;
  intent: string;
  sequence: number;
  type: string;
  from: string | null;
  to: string | null;
};

/**
 * Checks that events are numbered without gaps, that each transition starts where the previous one ended, and that
 * every event was delivered.
 */
async function compareEvents(world: World, actors: readonly Actor[]): Promise<string[]> {
  const ids = actors.map(({ id }) => id);
  const read = () =>
    world.query<Emitted>(
      `select 'evt_' || replace(id::text, '-', '') as id, 'intent_' || encode(intent_id, 'hex') as intent, sequence, type,
          from_status as from, to_status as to from gateway.event
        where intent_id in (select decode(substr(id, 8), 'hex') from unnest($1::text[]) id) order by intent_id, sequence`,
      [ids],
    );
  const found: string[] = [];
  const isReceived = ({ id }: Emitted) => world.receiver.received.some(({ event }) => event.id === id);
  let emitted = await read();
  await until(
    async () => {
      emitted = await read();
      return emitted.every(isReceived);
    },
    { what: "Every webhook", timeoutMs: TIMEOUT_MS },
  ).catch(() => {
    const missing = emitted.filter((event) => !isReceived(event));
    found.push(
      `${missing.length} webhooks never came: ${missing.slice(0, 3).map(({ intent, type }) => `${type} of ${intent}`)}`,
    );
  });
  for (const id of ids) {
    const own = emitted.filter(({ intent }) => intent === id);
    if (own.some(({ sequence }, index) => sequence !== index + 1)) found.push(`${id}: its events have gaps`);
    const moves = own.filter(({ to }) => to !== null);
    for (const [index, { from, type }] of moves.entries()) {
      const before = index === 0 ? "INITIATED" : moves[index - 1]?.to;
      if (from !== before)
        found.push(`${id}: ${type} begins at ${from}, the event before ended at ${before}`);
    }
  }
  return found;
}

/** Waits until a list is empty. @returns what is in it at the end */
async function leftOf<T>(what: string, list: () => Promise<T[]>): Promise<T[]> {
  let left: T[] = [];
  await until(
    async () => {
      left = await list();
      return left.length === 0;
    },
    { what, timeoutMs: TIMEOUT_MS },
  ).catch((error) => {
    if (!(error instanceof WaitTimeout)) throw error;
  });
  return left;
}

/**
 * Checks that no work is left for a person, except payouts that their bank rejected, and a planned payout whose
 * settlement the deep reorg removed permanently before the bank was called: it waits, blocked, for a person to end it.
 */
async function compareLeftovers(
  world: World,
  database: Database,
  actors: readonly Actor[],
): Promise<string[]> {
  const unpaid = new Set(
    actors
      .filter(({ plan }) => plan.fate === "fail" || plan.fate === "returned" || plan.ending === "late_return")
      .map(({ id }) => id),
  );
  const own = new Set(actors.map(({ id }) => id));
  const spent = actors.find(({ plan }) => plan.story === "double_spend")?.id;
  const waiting = new Set<string>();
  // The outcome of a call is unknown until the payout is polled again.
  const payouts = await leftOf("Every payout being decided", async () =>
    (await deadPayouts(database)).filter(({ id, intent, state, blocked }) => {
      const waits = intent === spent && state === "created" && blocked !== null;
      if (waits) waiting.add(String(id));
      return !waits && own.has(String(intent)) && !unpaid.has(String(intent));
    }),
  );
  const [deliveries, jobs] = await Promise.all([deadDeliveries(database), failedJobs(database)]);
  // A job fails when its worker is killed. Its payouts remain due, and another worker completes them.
  const ended = await world.query<{ id: string }>(
    "select 'payout_' || replace(id::text, '-', '') as id from gateway.payout where state in ('completed', 'failed', 'returned')",
  );
  const over = new Set(ended.map(({ id }) => id));
  const stuck = await leftOf("Every transaction being final", () => stuckTransactions(database, 0));
  return [
    ...payouts.map((row) => `a payout is left over: ${JSON.stringify(row)}`),
    ...deliveries.map((row) => `a webhook was given up: ${JSON.stringify(row)}`),
    ...jobs
      .filter(
        ({ payouts: of }) =>
          !world.settlementDied ||
          !String(of)
            .split(" ")
            .every((id) => over.has(id) || waiting.has(id)),
      )
      .map((row) => `a job has failed: ${JSON.stringify(row)}`),
    ...stuck.map((row) => `a transaction is stuck: ${JSON.stringify(row)}`),
  ];
}

async function compareIntents({ merchant }: Actor, actors: readonly Actor[]): Promise<string[]> {
  const { body } = await merchant.client.get<{ data: { id: string }[] }>("/payment-intents?limit=100");
  const known = new Set(actors.map(({ id }) => id));
  return body.data.filter(({ id }) => !known.has(id)).map(({ id }) => `${id} was created twice`);
}

/** Returns a description of every mismatch. */
export async function compare(world: World, { actors, faults, watch }: Run): Promise<string[]> {
  const [orders, transfers] = await Promise.all([trueOrders(world), trueTransfers(world)]);
  const truthOf = (actor: Actor): Truth => ({
    order: orders.get(orderIdOf(actor)),
    transfers: transfers.filter(({ destination }) => destination === actor.plan.destination),
  });
  for (const actor of actors) {
    const { currency } = actor.plan;
    world.losses.set(currency, (world.losses.get(currency) ?? 0n) + lossOf(truthOf(actor)));
  }
  const database = connect(world.stack.databaseUrl, { max: 4, application: "faults" });
  try {
    const first = actors[0];
    const { problem } = await verifyChain(database);
    return [
      ...actors.flatMap((actor) => comparePayment(actor, truthOf(actor))),
      ...actors.flatMap((actor) =>
        findUnexplainedRegressions(
          watch.seen.get(actor.id) ?? [],
          faults,
          bankAtOf(truthOf(actor)),
          actor.plan.ending,
        ).map((step) => `${actor.plan.name} (${actor.plan.story}): ${step}`),
      ),
      ...(first ? await compareIntents(first, actors) : []),
      ...(await compareBalances(world, orders)),
      ...(await compareLosses(world)),
      ...(await compareEvents(world, actors)),
      ...(await compareLeftovers(world, database, actors)),
      ...(await compareBooks(world, database)),
      ...(problem ? [`audit log: ${problem}`] : []),
    ];
  } finally {
    await database.$client.end();
  }
}
