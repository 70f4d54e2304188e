// The configured provider accounts, and whether they may be used.
import { and, count, eq, inArray, isNotNull, notInArray } from "drizzle-orm";
import { ConfigError } from "#core/config/config-error.ts";
import type { Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import type { OffRamp, OffRamps } from "./off-ramp.ts";

/** Returns one adapter per account, because several methods can share an account. */
export function listOffRamps(offRamps: OffRamps): OffRamp[] {
  if (offRamps.all) return [...offRamps.all];
  const all = SETTLEMENT_METHODS.flatMap((method) => offRamps(method) ?? []);
  return [...new Map(all.map((offRamp) => [offRamp.account, offRamp])).values()];
}

/** Returns the adapter of an account; undefined if the account is not configured here. */
export const findOffRamp = (offRamps: OffRamps, account: string): OffRamp | undefined =>
  listOffRamps(offRamps).find((offRamp) => offRamp.account === account);

/** @returns for each account that must not be used (yet), the reason; usable accounts are absent */
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
 * Refuses to start if open payouts belong to other accounts: such a payout may already have been ordered, and only its
 * own account knows.
 * @throws ConfigError if an open payout belongs to an account that is not configured here
 */
export async function refuseForeignPayouts(
  database: Database,
  { id }: Pick<Deployment, "id">,
  offRamps: OffRamps,
): Promise<void> {
  const configured = listOffRamps(offRamps).map(({ account }) => account);
  const rows = await database
    .select({ account: payout.account, count: count() })
    .from(payout)
    .innerJoin(intent, and(eq(intent.id, payout.intentId), eq(intent.deploymentId, id)))
    .where(
      and(
        isNotNull(payout.nextAttemptAt),
        inArray(payout.state, ["created", "submitted", "quarantined"]),
        notInArray(payout.account, configured),
      ),
    )
    .groupBy(payout.account)
    .orderBy(payout.account);
  if (rows.length === 0) return;
  const open = rows.map(({ account, count }) => `"${account}" (${count})`).join(", ");
  throw new ConfigError(
    `Open payouts belong to off-ramp accounts that are not configured: ${open}. Configured accounts: ` +
      `${configured.map((account) => `"${account}"`).join(", ") || "none"}. Configure the accounts of these payouts.`,
  );
}
