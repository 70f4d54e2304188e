// The configured provider accounts, and whether they may be used.
import { sql } from "drizzle-orm";
import { ConfigError } from "#core/config/config-error.ts";
import type { Database } from "#core/db/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { SETTLEMENT_METHODS } from "#core/off-ramp/settlement-methods.ts";
import type { OffRamp, OffRamps } from "./off-ramp.ts";

/** The adapter of each account: methods can share one. */
export function listOffRamps(offRamps: OffRamps): OffRamp[] {
  if (offRamps.all) return [...offRamps.all];
  const all = SETTLEMENT_METHODS.flatMap((method) => offRamps(method) ?? []);
  return [...new Map(all.map((offRamp) => [offRamp.account, offRamp])).values()];
}

/** The adapter of an account; undefined if it is not configured here. */
export const findOffRamp = (offRamps: OffRamps, account: string): OffRamp | undefined =>
  listOffRamps(offRamps).find((offRamp) => offRamp.account === account);

/** @returns by account, why it must not be used (yet); usable accounts are absent */
export async function findUnverified(offRamps: OffRamps): Promise<Map<string, unknown>> {
  const unverified = new Map<string, unknown>();
  await Promise.all(
    listOffRamps(offRamps).map(async (offRamp) => {
      try {
        await offRamp.verify?.();
      } catch (error) {
        unverified.set(offRamp.account, error);
      }
    }),
  );
  return unverified;
}

/**
 * An open payout may have been ordered from its own account, and only that account knows.
 * @throws ConfigError if one belongs to an account that is not configured here
 */
export async function refuseForeignPayouts(
  database: Database,
  { id }: Pick<Deployment, "id">,
  offRamps: OffRamps,
): Promise<void> {
  const configured = listOffRamps(offRamps).map(({ account }) => account);
  const { rows } = await database.execute<{ account: string; count: number }>(sql`
    select p.account, count(*)::int as count from gateway.payout p
    join gateway.intent i on i.id = p.intent_id and i.deployment_id = ${id}
    where p.next_attempt_at is not null and p.state in ('created', 'submitted', 'quarantined')
      and p.account not in (select jsonb_array_elements_text(${JSON.stringify(configured)}::jsonb))
    group by 1 order by 1`);
  if (rows.length === 0) return;
  const open = rows.map(({ account, count }) => `"${account}" (${count})`).join(", ");
  throw new ConfigError(
    `Open payouts belong to off-ramp accounts that are not configured: ${open}. Configured accounts: ` +
      `${configured.map((account) => `"${account}"`).join(", ") || "none"}. Configure the accounts of these payouts.`,
  );
}
