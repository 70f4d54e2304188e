// What the settlement role tells Prometheus: money on its way, and what it is moved with.
import { sql } from "drizzle-orm";
import { Gauge, Registry } from "prom-client";
import type { Address } from "viem";
import type { ChainClient } from "#core/chain/client.ts";
import type { Database } from "#core/db/client.ts";
import { inTime } from "#core/readiness.ts";
import { reportLedger } from "./reconcile/metrics.ts";
import { lackOf, readWallets } from "./wallets.ts";

type Sources = { database: Database; client: ChainClient; operator: Address };
type Row = Record<string, string | number | null>;

const GAS_OF_A_TRANSACTION = 300_000n;
const WEI_PER_COIN = 1e18;

/** A value that cannot be had now is not a number: an alarm can be set on that. */
const UNKNOWN = Number.NaN;

export function createMetrics({ database, client, operator }: Sources): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, ask: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await inTime(ask()).catch(() => UNKNOWN));
      },
    });
  const count = async (query: ReturnType<typeof sql>): Promise<number> => {
    const { rows } = await database.execute<Row>(query);
    return Number(rows[0]?.value ?? 0);
  };
  const unresolved = sql`gateway.transaction where state in ('pending', 'mined')`;

  gauge("payouts_open", "Payouts that are not completed and that nobody has given up.", () =>
    count(sql`select count(*) as value from gateway.payout
      where next_look_at is not null and state in ('created', 'submitted', 'quarantined')`),
  );
  gauge(
    "payouts_quarantined",
    "Payouts of which the provider's answer leaves open whether they were made.",
    () =>
      count(sql`select count(*) as value from gateway.payout
      where next_look_at is not null and state = 'quarantined'`),
  );
  gauge(
    "payouts_failed",
    "Payouts that failed or were returned, with no later attempt: somebody must act.",
    () =>
      count(sql`select count(*) as value from gateway.payout p
      where p.state in ('failed', 'returned') and not exists (
        select from gateway.payout later where later.intent_id = p.intent_id
          and later.settlement_id = p.settlement_id and later.part = p.part and later.attempt > p.attempt)`),
  );
  new Gauge({
    name: "offramp_shortfall",
    help: "What an off-ramp's wallet lacks for the payouts to come, in the token's smallest unit: they wait.",
    labelNames: ["token", "wallet"],
    registers: [registry],
    async collect() {
      this.reset();
      const wallets = await inTime(readWallets({ database, client })).catch(() => []);
      for (const wallet of wallets) {
        this.set({ token: wallet.token, wallet: wallet.offRamp }, Number(lackOf(wallet)));
      }
    },
  });
  gauge(
    "settlements_skipped",
    "Orders that batches passed over and that still await their settlement: the contract says why (logged).",
    () =>
      count(sql`select count(*) as value from chain.settlement_skip s join gateway.intent i on i.order_id = s.order_id
      join chain."order" o on o.id = s.order_id where o.released > o.settled and o.withdrawn = 0`),
  );
  reportLedger(database, registry);
  gauge("transactions_unresolved", "Transactions that were signed and are not final.", () =>
    count(sql`select count(*) as value from ${unresolved}`),
  );
  gauge("transactions_oldest_unresolved_seconds", "Age of the oldest of them.", () =>
    count(sql`select extract(epoch from now() - min(created_at)) as value from ${unresolved}`),
  );
  gauge("operator_balance", "The operator's gas money, in the chain's coin.", async () => {
    const wei = await client.getBalance({ address: operator });
    return Number(wei) / WEI_PER_COIN;
  });
  gauge(
    "operator_transactions_left",
    "How many transactions of 300,000 gas the operator's gas money pays for at today's price.",
    async () => {
      const [wei, { maxFeePerGas }] = await Promise.all([
        client.getBalance({ address: operator }),
        client.estimateFeesPerGas(),
      ]);
      return Number(wei / (maxFeePerGas * GAS_OF_A_TRANSACTION + 1n));
    },
  );
  gauge(
    "operator_nonces_waiting",
    "Nonces that were given out and are in no block: above zero for long, the first of them is stuck.",
    async () => {
      const used = await client.getTransactionCount({ address: operator });
      const given = await count(sql`select s.next_nonce as value from gateway.signer s
        join gateway.deployment d on d.id = s.deployment_id and d.current where lower(s.address) = ${operator.toLowerCase()}`);
      return Math.max(0, given - used);
    },
  );
  return registry;
}
