// Metrics about work items.
import { sql } from "drizzle-orm";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { WORK_PURPOSES, workItem } from "#core/db/schema/work.ts";
import { isCurrent } from "#core/deployment/is-current.ts";
import { inTime } from "#core/runtime/readiness.ts";

/** Incremented by the scan in the leading process. */
export const scanRepaired = new Counter({
  name: "work_scan_repaired_total",
  help: "Work that the full scan found due but not scheduled: there should be none.",
  registers: [],
});

const refused = (database: Database) =>
  database
    .select({
      purpose: workItem.purpose,
      dead: sql<boolean>`${workItem.clock} = 'dead'`,
      count: sql<number>`count(*)::int`,
    })
    .from(workItem)
    .innerJoin(deployment, isCurrent(workItem.deploymentId))
    .where(sql`${workItem.attempts} > 0`)
    .groupBy(sql`1, 2`);

export function reportWork(database: Database, registry: Registry): void {
  registry.registerMetric(scanRepaired);
  new Gauge({
    name: "work_refused",
    help: "Work that was rejected or failed at its last attempt, by purpose; `dead`: it is no longer retried. npm run ops -- dead shows the reason.",
    labelNames: ["purpose", "state"],
    registers: [registry],
    async collect() {
      this.reset();
      const rows = await inTime(refused(database)).catch(() => undefined);
      for (const purpose of WORK_PURPOSES) {
        for (const state of ["retrying", "dead"] as const) {
          const row = rows?.find((one) => one.purpose === purpose && one.dead === (state === "dead"));
          this.set({ purpose, state }, rows ? (row?.count ?? 0) : Number.NaN);
        }
      }
    },
  });
}
