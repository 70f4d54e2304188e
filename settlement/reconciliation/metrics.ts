// The ledger's metrics: differences, losses, and its age.
import { count, desc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { Gauge, type Registry } from "prom-client";
import { ponderCheckpoint } from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { ledgerBalance } from "#core/db/schema/ledger.ts";
import { reconciliationDifference } from "#core/db/schema/operations.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { isCurrent } from "#core/deployment/is-current.ts";
import { indexedBlock } from "#core/indexer-state/indexer-snapshot.ts";
import type { Account } from "#core/ledger/flows.ts";
import { decimalsOf, knownCurrencies } from "#core/money.ts";
import { inTime } from "#core/runtime/readiness.ts";
import { DISCREPANCY_KINDS, isInformational } from "./discrepancy.ts";

const selectLast = (database: Database) =>
  database
    .select({
      differences: reconciliation.differences,
      age: sql<number>`extract(epoch from clock_timestamp() - ${reconciliation.createdAt})::float8`,
    })
    .from(reconciliation)
    .where(isNotNull(reconciliation.differences))
    .orderBy(desc(reconciliation.id))
    .limit(1);

const selectAcknowledged = (database: Database) =>
  database
    .select({ kind: reconciliationDifference.kind, count: count() })
    .from(reconciliationDifference)
    .where(isNotNull(reconciliationDifference.acknowledgedBy))
    .groupBy(reconciliationDifference.kind);

/** Selects an account's amounts in the current deployment, by currency. */
const selectAmounts = (database: Database, account: Account, amount: SQL<number>) =>
  database
    .select({ currency: ledgerBalance.currency, amount })
    .from(ledgerBalance)
    .innerJoin(deployment, isCurrent(ledgerBalance.deploymentId))
    .where(eq(ledgerBalance.account, account))
    .groupBy(ledgerBalance.currency);

const LOST = sql`-sum(${ledgerBalance.amount})`.mapWith(Number);
const SPENT = sql<number>`(sum(${ledgerBalance.amount}) / power(10::numeric, 18))::float8`;

const selectBehind = (database: Database) =>
  database
    .select({ blocks: sql<number>`(${indexedBlock} - ${deployment.ledgerBlock})::float8` })
    .from(deployment)
    .innerJoin(ponderCheckpoint, eq(ponderCheckpoint.chainId, deployment.chainId))
    .where(sql`${deployment.current}`);

/** Registers the metrics. A value that cannot be read is omitted or NaN; alerts can be set on both. */
export function reportLedger(database: Database, registry: Registry): void {
  const registers = [registry];
  const last = async () => (await inTime(selectLast(database)).catch(() => undefined))?.[0];

  new Gauge({
    name: "ledger_differences",
    help: "Unacknowledged differences of the last reconciliation, by kind: npm run reconcile describes them.",
    labelNames: ["kind"],
    registers,
    async collect() {
      this.reset();
      const found = (await last())?.differences;
      if (!found) return;
      for (const kind of DISCREPANCY_KINDS) if (!isInformational(kind)) this.set({ kind }, found[kind] ?? 0);
    },
  });
  new Gauge({
    name: "ledger_differences_acknowledged",
    help: "Acknowledged differences that still exist, by kind: npm run ops -- differences lists them.",
    labelNames: ["kind"],
    registers,
    async collect() {
      this.reset();
      const counts = await inTime(selectAcknowledged(database)).catch(() => undefined);
      for (const { kind, count } of counts ?? []) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: "ledger_reconciled_seconds",
    help: "Seconds since the start of the last completed reconciliation.",
    registers,
    async collect() {
      this.set((await last())?.age ?? Number.NaN);
    },
  });
  new Gauge({
    name: "ledger_loss",
    help: "Amount paid out of the gateway's own funds, in whole units of the currency: if above zero, someone in operations must act.",
    labelNames: ["currency"],
    registers,
    async collect() {
      this.reset();
      const losses = await inTime(selectAmounts(database, "loss", LOST)).catch(() => undefined);
      const of = new Map(losses?.map(({ currency, amount }) => [currency, amount]));
      for (const currency of losses ? knownCurrencies() : []) {
        this.set({ currency }, (of.get(currency) ?? 0) / 10 ** decimalsOf(currency));
      }
    },
  });
  new Gauge({
    name: "ledger_network_fees",
    help: "Gas costs that the gateway has paid for transactions of payments, in whole units of the native currency.",
    labelNames: ["currency"],
    registers,
    async collect() {
      this.reset();
      const fees = await inTime(selectAmounts(database, "network", SPENT)).catch(() => undefined);
      for (const { currency, amount } of fees ?? []) this.set({ currency }, amount);
    },
  });
  new Gauge({
    name: "ledger_blocks_behind",
    help: "Indexed blocks that are not in the ledger yet; this always includes the unconfirmed ones.",
    registers,
    async collect() {
      const behind = await inTime(selectBehind(database)).catch(() => undefined);
      this.set(behind?.[0]?.blocks ?? Number.NaN);
    },
  });
}
