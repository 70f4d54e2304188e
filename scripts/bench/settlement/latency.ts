// Measures how long a payment waits for the workers: from its release to the transaction that settles it, and from a
// confirmed settlement to its payout's row. Blocks are mined on request, so that their time is known.
import { eq } from "drizzle-orm";
import pTimeout from "p-timeout";
import { Client } from "pg";
import { createPublicClient, webSocket } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import * as chain from "#core/db/chain.ts";
import type { OrderId } from "#core/ids.ts";
import { until } from "#scripts/shared/wait.ts";
import { startPayments } from "#test/settlement/support/payments.ts";

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 20);
const TIMEOUT_MS = 20_000;

/** Records when one-time events happened, and lets callers wait for them. */
class Moments {
  readonly #seen = new Map<string, PromiseWithResolvers<number>>();

  #of(name: string): PromiseWithResolvers<number> {
    const known = this.#seen.get(name) ?? Promise.withResolvers<number>();
    this.#seen.set(name, known);
    return known;
  }

  now(name: string): void {
    this.#of(name).resolve(performance.now());
  }

  async when(name: string): Promise<number> {
    const message = `${name}: timed out after ${TIMEOUT_MS} ms.`;
    return pTimeout(this.#of(name).promise, { milliseconds: TIMEOUT_MS, message });
  }
}

/** Postgres sends the notification for a payout's row when the transaction commits. */
const NOTIFY = `
  create or replace function public.notify_payout() returns trigger language plpgsql as
    $$ begin perform pg_notify('bench_payout', '0x' || encode(new.intent_id, 'hex')); return new; end $$;
  create or replace trigger notify after insert on gateway.payout for each row execute function public.notify_payout();
  listen bench_payout`;

type Payments = Awaited<ReturnType<typeof startPayments>>;

async function watch({ stack, deployment }: Payments) {
  const [settled, planned] = [new Moments(), new Moments()];
  const client = createPublicClient({ transport: webSocket(stack.rpcUrl.replace("http", "ws")) });
  // The node mines a transaction as soon as it is sent, and notifies subscribers immediately.
  const unwatch = client.watchContractEvent({
    abi: deliveryVsPaymentAbi,
    address: deployment.contract,
    eventName: "OrderSettled",
    onLogs: (logs) => {
      for (const { args } of logs) if (args.orderId) settled.now(args.orderId);
    },
  });
  const listener = new Client({ connectionString: stack.databaseUrl });
  await listener.connect();
  listener.on("notification", ({ payload }) => planned.now(payload ?? ""));
  await listener.query(NOTIFY);
  return {
    settled,
    planned,
    async stop() {
      unwatch();
      await listener.query("drop trigger notify on gateway.payout");
      await Promise.all([listener.end(), client.transport.getRpcClient().then((rpc) => rpc.close())]);
    },
  };
}

/** Latencies in milliseconds. */
export type Latencies = { settled: number[]; planned: number[] };

/** Requires a running gateway. Afterwards, blocks are no longer mined automatically. */
export async function measureLatencies(payments: Payments, count: number): Promise<Latencies> {
  const { control, config, database } = payments;
  const moments = await watch(payments);
  const orders = await Promise.all(Array.from({ length: count }, () => payments.addIntent()));
  for (const { terms } of orders) await payments.fund(terms);
  await control.mine({ blocks: config.chain.confirmations });
  await payments.standStill();

  const loadBlock = async (id: OrderId) => {
    const [row] = await database.select().from(chain.settlement).where(eq(chain.settlement.orderId, id));
    return row?.block ?? null;
  };
  const measured: Latencies = { settled: [], planned: [] };
  for (const { orderId, terms } of orders) {
    const serializedTransaction = await payments.signed("release", terms);
    const released = performance.now();
    await control.sendRawTransaction({ serializedTransaction });
    measured.settled.push((await moments.settled.when(orderId)) - released);

    const block = await until(() => loadBlock(orderId), {
      what: "Indexing of the settlement",
      timeoutMs: TIMEOUT_MS,
    });
    const tip = Number(await control.getBlockNumber({ cacheTime: 0 }));
    const missing = block + config.chain.confirmations - 1 - tip;
    if (missing > 1) await control.mine({ blocks: missing - 1 });
    await payments.standStill();
    const deep = performance.now();
    await control.mine({ blocks: 1 });
    measured.planned.push((await moments.planned.when(orderId)) - deep);
  }
  await moments.stop();
  return measured;
}

export async function measureLatency(): Promise<Latencies> {
  const payments = await startPayments({
    node: "hardhat",
    blockIntervalMs: 1_000,
    env: { LOG_LEVEL: "warn", BLOCK_POLL_MS: "" },
  });
  try {
    return await measureLatencies(payments, PAYMENTS);
  } finally {
    await payments.close();
  }
}
