// Compares the amount that arrived at the bank with the amount that was sold for it, by the configured rates and by the
// rate that the provider reports.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { isAmong } from "#core/db/is-among.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import { type Currency, decimalsOf } from "#core/money.ts";
import { fiatDecimals, formatFiat, parseRate } from "#core/off-ramp/fiat.ts";
import { buildStake, type Finding, formatMoney } from "./discrepancy.ts";
import type { Dependencies } from "./scope.ts";

type Row = {
  id: string;
  intent: IntentId;
  currency: Currency;
  /** The amount minus the fee, in the token's smallest unit. */
  sold: bigint;
  /** In the minor unit of the currency `bought`. */
  delivered: bigint;
  bought: string;
  rate: string | null;
};

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Returns the expected amount in the minor unit; undefined if the rate is invalid. */
function computeExpected({ currency, sold, bought }: Row, rate: string): bigint | undefined {
  const parsed = parseRate(rate);
  if (!parsed) return undefined;
  const scale = 10n ** BigInt(fiatDecimals(bought));
  return (sold * parsed.numerator * scale) / (parsed.denominator * 10n ** BigInt(decimalsOf(currency)));
}

/** @param tolerance in percent, as a decimal */
function isOutside(delivered: bigint, expected: bigint, tolerance: string): boolean {
  const { numerator, denominator } = parseRate(tolerance) ?? { numerator: 0n, denominator: 1n };
  // One minor unit can be lost by rounding.
  return (size(delivered - expected) - 1n) * 100n * denominator > expected * numerator;
}

function compare(row: Row, { tolerance, rates }: Dependencies["config"]["conversion"]): Finding[] {
  const { id, intent, currency, sold, delivered, bought } = row;
  const known = [
    ["configured", rates[bought]],
    ["reported", row.rate],
  ] as const;
  for (const [source, rate] of known) {
    const expected = rate ? computeExpected(row, rate) : undefined;
    if (!rate || expected === undefined || !isOutside(delivered, expected, tolerance)) continue;
    const [arrived, due] = [delivered, expected].map((amount) => formatFiat({ amount, currency: bought }));
    return [
      {
        kind: "conversion",
        about: id,
        says:
          `Payout ${id} of ${intent}: ${formatMoney(sold, currency)} was sold and ${arrived} ${bought} arrived, ` +
          `but at the ${source} rate ${rate} it should be ${due} ${bought} (tolerance ${tolerance} %).`,
        ...buildStake(sold, currency),
        identity: `${sold} ${delivered} ${bought} ${source} ${rate} ${tolerance}`,
        subject: { check: "payments", intentId: intent },
      },
    ];
  }
  return [];
}

/** Finds the payouts whose delivered amount does not match the sold amount. */
export async function compareConversions(
  { database, config }: Dependencies,
  ids: readonly IntentId[],
): Promise<Finding[]> {
  const rows = await database
    .select({
      ...{ id: payout.id, intent: payout.intentId, currency: payout.currency, rate: payout.rate },
      sold: sql`${payout.amount} - ${payout.fee}`.mapWith(payout.amount),
      delivered: sql`${payout.deliveredAmount}`.mapWith(payout.deliveredAmount),
      bought: sql<string>`${payout.deliveredCurrency}`,
    })
    .from(payout)
    .where(
      and(
        isAmong(payout.intentId, ids),
        eq(payout.state, "completed"),
        isNotNull(payout.deliveredAmount),
        isNotNull(payout.deliveredCurrency),
      ),
    )
    .orderBy(payout.id);
  return rows.flatMap((row) => compare(row, config.conversion));
}
