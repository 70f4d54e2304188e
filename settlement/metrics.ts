// The settlement role's metrics: money in transit, and the resources that move it.
import { type SQL, sql } from "drizzle-orm";
import { Gauge, Registry } from "prom-client";
import type { Address } from "viem";
import type { ChainClient } from "#core/chain/client.ts";
import type { Database } from "#core/db/client.ts";
import { inTime } from "#core/runtime/readiness.ts";
import { RESTRICTIONS, readTokenStates, type WatchedAccounts } from "./escrow/token-restrictions.ts";
import { computeLack, readWallets } from "./payouts/wallets.ts";
import { reportLedger } from "./reconciliation/metrics.ts";
import { reportWork } from "./runtime/work-metrics.ts";

type Sources = {
  database: Database;
  client: ChainClient;
  operator: Address;
  /** Undefined if the gateway has no guardian key. */
  guardian: Address | undefined;
  watched: WatchedAccounts;
};
type Row = Record<string, string | number | null>;

const GAS_OF_A_TRANSACTION = 300_000n;
/** Maximum gas to delist a token. */
const GAS_OF_DELISTING = 100_000n;
const WEI_PER_COIN = 1e18;

/** An unreadable value is NaN, on which an alert can be set. */
const UNKNOWN = Number.NaN;

export function createMetrics({ database, client, operator, guardian, watched }: Sources): Registry {
  const registry = new Registry();
  const gauge: AddGauge = (name, help, ask) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await inTime(ask()).catch(() => UNKNOWN));
      },
    });
  };
  const count: Count = async (query) => {
    const { rows } = await database.execute<Row>(query);
    return Number(rows[0]?.value ?? 0);
  };
  const unresolved = sql`gateway.transaction where state in ('pending', 'mined')`;

  gauge("payouts_open", "Payouts that are neither completed nor abandoned.", () =>
    count(sql`select count(*) as value from gateway.payout
      where next_attempt_at is not null and state in ('created', 'submitted', 'quarantined')`),
  );
  gauge(
    "payouts_quarantined",
    "Payouts for which the provider's response leaves open whether they were executed.",
    () =>
      count(sql`select count(*) as value from gateway.payout
      where next_attempt_at is not null and state = 'quarantined'`),
  );
  gauge(
    "payouts_blocked",
    "Payouts for which no provider is called until someone in operations acts: npm run ops -- dead shows the reason.",
    () =>
      count(sql`select count(*) as value from gateway.payout
      where next_attempt_at is not null and blocked is not null`),
  );
  gauge(
    "payouts_failed",
    "Payouts that failed or were returned and have no later attempt: someone in operations must act.",
    () =>
      count(sql`select count(*) as value from gateway.payout p
      where p.state in ('failed', 'returned') and not exists (
        select from gateway.payout later where later.intent_id = p.intent_id
          and later.settlement_id = p.settlement_id and later.part = p.part and later.attempt > p.attempt)`),
  );
  gauge(
    "payouts_oldest_unaccepted_seconds",
    "Age of the oldest payout that the provider has not accepted: it is not ordered yet, or quarantined.",
    () =>
      count(sql`select extract(epoch from now() - min(created_at)) as value from gateway.payout
      where next_attempt_at is not null and state in ('created', 'quarantined')`),
  );
  new Gauge({
    name: "off_ramp_shortfall",
    help: "The amount that an off-ramp wallet lacks for its pending payouts, in the token's smallest unit: they wait.",
    labelNames: ["token", "wallet"],
    registers: [registry],
    async collect() {
      this.reset();
      const wallets = await inTime(readWallets({ database, client })).catch(() => []);
      for (const wallet of wallets) {
        this.set({ token: wallet.token, wallet: wallet.offRamp }, Number(computeLack(wallet)));
      }
    },
  });
  gauge(
    "settlements_skipped",
    "Orders that a batch skipped and that are still not settled: the log contains the contract's reason.",
    () =>
      count(sql`select count(*) as value from chain.settlement_skip s join gateway.intent i on i.order_id = s.order_id
      join chain."order" o on o.id = s.order_id where o.released > o.settled and o.withdrawn = 0`),
  );
  reportLedger(database, registry);
  reportWork(database, registry);
  gauge(
    "settlements_oldest_waiting_seconds",
    "The longest time that a released order has waited for its on-chain settlement: for a full batch, or for a lower gas price.",
    () =>
      count(sql`select greatest(0, extract(epoch from now()) - min(o.updated_at)) as value
      from gateway.deployment d join gateway.work_item w on w.deployment_id = d.id and w.purpose = 'settle'
      join chain."order" o on o.id = w.order_id
      where d.current and o.released > o.settled and o.withdrawn = 0`),
  );
  gauge("transactions_unresolved", "Signed transactions that are not final.", () =>
    count(sql`select count(*) as value from ${unresolved}`),
  );
  gauge("transactions_oldest_unresolved_seconds", "Age of the oldest unresolved transaction.", () =>
    count(sql`select extract(epoch from now() - min(created_at)) as value from ${unresolved}`),
  );
  const countAffordable = async (address: Address, gas: bigint): Promise<number> => {
    const [wei, { maxFeePerGas }] = await Promise.all([
      client.getBalance({ address }),
      client.estimateFeesPerGas(),
    ]);
    return Number(wei / (maxFeePerGas * gas + 1n));
  };
  gauge("operator_balance", "The operator's balance for gas, in the chain's native currency.", async () => {
    const wei = await client.getBalance({ address: operator });
    return Number(wei) / WEI_PER_COIN;
  });
  gauge(
    "operator_transactions_left",
    "Number of transactions of 300,000 gas that the operator's balance covers at the current gas price.",
    () => countAffordable(operator, GAS_OF_A_TRANSACTION),
  );
  gauge(
    "guardian_transactions_left",
    "Number of tokens that the guardian's balance can de-list at the current gas price; NaN without GUARDIAN_KEY.",
    async () => (guardian ? countAffordable(guardian, GAS_OF_DELISTING) : UNKNOWN),
  );
  new Gauge({
    name: "token_restricted",
    help: "1 if the token's contract reports the restriction: paused, escrow_blacklisted, fee or off_ramp_blacklisted.",
    labelNames: ["token", "kind"],
    registers: [registry],
    async collect() {
      this.reset();
      const states = await inTime(readTokenStates(client, watched)).catch(() => []);
      for (const { currency, restrictions } of states) {
        for (const kind of RESTRICTIONS)
          this.set({ token: currency, kind }, restrictions.includes(kind) ? 1 : 0);
      }
    },
  });
  gauge(
    "operator_nonces_waiting",
    "Assigned nonces that are not in a block: if this stays above zero, the first of them is stuck.",
    async () => {
      const used = await client.getTransactionCount({ address: operator });
      const given = await count(sql`select s.next_nonce as value from gateway.signer s
        join gateway.deployment d on d.id = s.deployment_id and d.current where lower(s.address) = ${operator.toLowerCase()}`);
      return Math.max(0, given - used);
    },
  );
  gauge("chain_head_age_seconds", "Age of the chain's latest block, by this machine's clock.", async () => {
    const { timestamp } = await client.getBlock();
    return Math.max(0, Date.now() / 1_000 - Number(timestamp));
  });
  observeDeadLetters(gauge, count);
  return registry;
}

type AddGauge = (name: string, help: string, ask: () => Promise<number>) => void;
type Count = (query: SQL) => Promise<number>;

/** Abandoned webhooks, and those that were never attempted although nothing blocks them. */
function observeDeadLetters(gauge: AddGauge, count: Count): void {
  gauge("webhooks_failed", "Webhooks that were abandoned after their last attempt.", () =>
    count(sql`select count(*) as value from gateway.webhook_delivery where status = 'failed'`),
  );
  gauge(
    "webhooks_oldest_undelivered_seconds",
    "Age of the oldest webhook that its endpoint has not accepted and that is still retried.",
    () =>
      count(sql`select extract(epoch from now() - min(w.created_at)) as value from gateway.webhook_delivery w
      join gateway.webhook_endpoint e on e.id = w.endpoint_id and e.status = 'enabled'
      where w.next_attempt_at is not null`),
  );
  gauge(
    "webhooks_oldest_untried_seconds",
    "Age of the oldest pending webhook that was never attempted, at endpoints where no other delivery is being retried.",
    () =>
      count(sql`select extract(epoch from now() - min(w.created_at)) as value from gateway.webhook_delivery w
      join gateway.webhook_endpoint e on e.id = w.endpoint_id and e.status = 'enabled'
        and (e.paused_until is null or e.paused_until < now())
      where w.next_attempt_at is not null and w.attempts = 0 and not exists (
        select from gateway.webhook_delivery failing where failing.endpoint_id = w.endpoint_id
          and failing.next_attempt_at is not null and failing.attempts > 0)`),
  );
  gauge("jobs_failed", "Jobs of the last hour that failed: their work is still due.", () =>
    count(sql`select count(*) as value from pgboss.job where state = 'failed'`),
  );
}
