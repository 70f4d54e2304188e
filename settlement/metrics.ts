// The settlement role's metrics: money in transit, and the resources that move it.
import { and, count, eq, isNotNull, not, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import { Gauge, Registry } from "prom-client";
import type { Address } from "viem";
import type { ChainClient } from "#core/chain/client.ts";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { signer, transaction } from "#core/db/schema/transactions.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { workItem } from "#core/db/schema/work.ts";
import { isCurrent } from "#core/deployment/is-current.ts";
import { hasLaterAttempt } from "#core/payouts/later-attempt.ts";
import { inTime } from "#core/runtime/readiness.ts";
import { isUnresolved } from "./escrow/resolve-transactions.ts";
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

const GAS_OF_A_TRANSACTION = 300_000n;
/** Maximum gas to de-list a token. */
const GAS_OF_DELISTING = 100_000n;
const WEI_PER_COIN = 1e18;

/** A value that cannot be read is NaN; alerts can be set on it. */
const UNKNOWN = Number.NaN;

/** Returns the first row's value, or zero without any row. */
const readValue = async (query: PromiseLike<{ value: unknown }[]>): Promise<number> =>
  Number((await query)[0]?.value ?? 0);

/** Seconds since the earliest of the timestamps. */
const ageOf = (moment: PgColumn) => sql`extract(epoch from now() - min(${moment}))`;

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
  const isPending = isNotNull(payout.nextAttemptAt);
  const awaitsSettlement = sql`${chain.order.released} > ${chain.order.settled} and ${chain.order.withdrawn} = 0`;

  gauge("payouts_open", "Payouts that are neither completed nor abandoned.", () =>
    database.$count(payout, and(isPending, sql`${payout.state} in ('created', 'submitted', 'quarantined')`)),
  );
  gauge(
    "payouts_quarantined",
    "Payouts for which the provider's response leaves open whether they were executed.",
    () => database.$count(payout, and(isPending, sql`${payout.state} = 'quarantined'`)),
  );
  gauge(
    "payouts_blocked",
    "Payouts for which no provider is called until someone in operations acts: npm run ops -- dead shows the reason.",
    () => database.$count(payout, and(isPending, isNotNull(payout.blocked))),
  );
  gauge(
    "payouts_failed",
    "Payouts that failed or were returned and have no later attempt: someone in operations must act.",
    () => database.$count(payout, and(sql`${payout.state} in ('failed', 'returned')`, not(hasLaterAttempt))),
  );
  gauge(
    "payouts_oldest_unaccepted_seconds",
    "Age of the oldest payout that the provider has not accepted: it is not ordered yet, or quarantined.",
    () =>
      readValue(
        database
          .select({ value: ageOf(payout.createdAt) })
          .from(payout)
          .where(and(isPending, sql`${payout.state} in ('created', 'quarantined')`)),
      ),
  );
  gauge(
    "payouts_oldest_not_debited_seconds",
    "Age of the oldest accepted payout whose provider has not reported that it has debited the wallet.",
    () =>
      readValue(
        database
          .select({ value: ageOf(payout.calledAt) })
          .from(payout)
          .where(eq(payout.awaitsFunds, true)),
      ),
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
        if (wallet.balance instanceof Error) continue;
        this.set({ token: wallet.token, wallet: wallet.offRamp }, Number(computeLack(wallet)));
      }
    },
  });
  gauge(
    "settlements_skipped",
    "Orders that a batch skipped and that are still not settled: the log contains the contract's reason.",
    () =>
      readValue(
        database
          .select({ value: count() })
          .from(chain.settlementSkip)
          .innerJoin(intent, eq(intent.id, chain.settlementSkip.orderId))
          .innerJoin(chain.order, eq(chain.order.id, chain.settlementSkip.orderId))
          .where(awaitsSettlement),
      ),
  );
  reportLedger(database, registry);
  reportWork(database, registry);
  gauge(
    "settlements_oldest_waiting_seconds",
    "The longest time that a released order has waited for its on-chain settlement: for a full batch, or for a lower gas price.",
    () =>
      readValue(
        database
          .select({ value: sql`greatest(0, extract(epoch from now()) - min(${chain.order.updatedAt}))` })
          .from(deployment)
          .innerJoin(
            workItem,
            and(eq(workItem.deploymentId, deployment.id), sql`${workItem.purpose} = 'settle'`),
          )
          .innerJoin(chain.order, eq(chain.order.id, workItem.orderId))
          .where(and(deployment.current, awaitsSettlement)),
      ),
  );
  gauge("transactions_unresolved", "Signed transactions that are not final.", () =>
    database.$count(transaction, isUnresolved),
  );
  gauge("transactions_oldest_unresolved_seconds", "Age of the oldest unresolved transaction.", () =>
    readValue(
      database
        .select({ value: ageOf(transaction.createdAt) })
        .from(transaction)
        .where(isUnresolved),
    ),
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
      const given = await readValue(
        database
          .select({ value: signer.nextNonce })
          .from(signer)
          .innerJoin(deployment, isCurrent(signer.deploymentId))
          .where(eq(signer.address, operator)),
      );
      return Math.max(0, given - used);
    },
  );
  gauge("chain_head_age_seconds", "Age of the chain's latest block, by this machine's clock.", async () => {
    const { timestamp } = await client.getBlock();
    return Math.max(0, Date.now() / 1_000 - Number(timestamp));
  });
  observeDeadLetters(gauge, database);
  return registry;
}

type AddGauge = (name: string, help: string, ask: () => Promise<number>) => void;

/** Adds metrics about abandoned webhooks, and about webhooks that were never attempted although nothing blocks them. */
function observeDeadLetters(gauge: AddGauge, database: Database): void {
  /** Returns the age of the oldest pending delivery to an enabled endpoint. */
  const readPendingAge = (where?: SQL) =>
    readValue(
      database
        .select({ value: ageOf(webhookDelivery.createdAt) })
        .from(webhookDelivery)
        .innerJoin(
          webhookEndpoint,
          and(eq(webhookEndpoint.id, webhookDelivery.endpointId), eq(webhookEndpoint.status, "enabled")),
        )
        .where(and(isNotNull(webhookDelivery.nextAttemptAt), where)),
    );
  const failing = alias(webhookDelivery, "failing");
  gauge("webhooks_failed", "Webhooks that were abandoned after their last attempt.", () =>
    database.$count(webhookDelivery, sql`${webhookDelivery.status} = 'failed'`),
  );
  gauge(
    "webhooks_oldest_undelivered_seconds",
    "Age of the oldest webhook that its endpoint has not accepted and that is still retried.",
    () => readPendingAge(),
  );
  gauge(
    "webhooks_oldest_untried_seconds",
    "Age of the oldest pending webhook that was never attempted, at endpoints where no other delivery is being retried.",
    () =>
      readPendingAge(
        sql`(${webhookEndpoint.pausedUntil} is null or ${webhookEndpoint.pausedUntil} < now())
          and ${webhookDelivery.attempts} = 0 and not exists (
            select from ${webhookDelivery} failing where ${failing.endpointId} = ${webhookDelivery.endpointId}
              and ${failing.nextAttemptAt} is not null and ${failing.attempts} > 0)`,
      ),
  );
  gauge("jobs_failed", "Jobs of the last hour that failed: their work is still due.", () =>
    database.$count(sql`pgboss.job`, sql`state = 'failed'`),
  );
}
