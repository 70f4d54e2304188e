// The ledger's metrics: differences, losses, and its age.
import { sql } from "drizzle-orm";
import { Gauge, type Registry } from "prom-client";
import type { Database } from "#core/db/client.ts";
import { type Currency, decimalsOf, knownCurrencies } from "#core/money.ts";
import { inTime } from "#core/runtime/readiness.ts";
import { DISCREPANCY_KINDS, isInformational } from "./discrepancy.ts";

type Last = { differences: Record<string, number>; age: number };
type Loss = { currency: Currency; amount: string };
type Fees = { currency: string; amount: number };
type Behind = { blocks: number };
type Acknowledged = { kind: string; count: number };

const LAST = sql`
  select differences, extract(epoch from clock_timestamp() - created_at)::float8 as age
  from gateway.reconciliation where differences is not null order by id desc limit 1`;

const ACKNOWLEDGED = sql`
  select kind, count(*)::int as count from gateway.reconciliation_difference where acknowledged_by is not null group by 1`;

const LOSSES = sql`
  select b.currency, -sum(b.amount) as amount from gateway.ledger_balance b
  join gateway.deployment d on d.id = b.deployment_id and d.current where b.account = 'loss' group by 1`;

const FEES = sql`
  select b.currency, (sum(b.amount) / power(10::numeric, 18))::float8 as amount from gateway.ledger_balance b
  join gateway.deployment d on d.id = b.deployment_id and d.current where b.account = 'network' group by 1`;

const BEHIND = sql`
  select (substr(c.latest_checkpoint, 27, 16)::bigint - d.ledger_block)::float8 as blocks
  from gateway.deployment d join chain._ponder_checkpoint c on c.chain_id = d.chain_id where d.current`;

/** An unreadable value is omitted or NaN; an alert can be set on either. */
export function reportLedger(database: Database, registry: Registry): void {
  const registers = [registry];
  const last = async () => (await inTime(database.execute<Last>(LAST)).catch(() => undefined))?.rows[0];

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
      const counts = await inTime(database.execute<Acknowledged>(ACKNOWLEDGED)).catch(() => undefined);
      for (const { kind, count } of counts?.rows ?? []) this.set({ kind }, count);
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
      const losses = await inTime(database.execute<Loss>(LOSSES)).catch(() => undefined);
      const of = new Map(losses?.rows.map(({ currency, amount }) => [currency, Number(amount)]));
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
      const fees = await inTime(database.execute<Fees>(FEES)).catch(() => undefined);
      for (const { currency, amount } of fees?.rows ?? []) this.set({ currency }, amount);
    },
  });
  new Gauge({
    name: "ledger_blocks_behind",
    help: "Indexed blocks that are not in the ledger yet; this always includes the unconfirmed ones.",
    registers,
    async collect() {
      const behind = await inTime(database.execute<Behind>(BEHIND)).catch(() => undefined);
      this.set(behind?.rows[0]?.blocks ?? Number.NaN);
    },
  });
}
