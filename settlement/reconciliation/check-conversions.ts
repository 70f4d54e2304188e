// Compares the amount that arrived at banks with the amount that was sold for it, by the configured rates and by the
// provider's reported rate.
import { sql } from "drizzle-orm";
import type { IntentId } from "#core/ids.ts";
import { type Currency, decimalsOf } from "#core/money.ts";
import { fiatDecimals, formatFiat, parseRate } from "#core/off-ramp/fiat.ts";
import { buildStake, type Finding, formatMoney } from "./discrepancy.ts";
import type { Parts } from "./scope.ts";

type Row = {
  id: string;
  intent: IntentId;
  currency: Currency;
  /** The amount without the fee, in the token's smallest unit. */
  sold: string;
  /** In the minor unit of its currency. */
  delivered: string;
  bought: string;
  rate: string | null;
};

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** The expected amount, in the minor unit; undefined if the rate is not one. */
function computeExpected({ currency, sold, bought }: Row, rate: string): bigint | undefined {
  const parsed = parseRate(rate);
  if (!parsed) return undefined;
  const scale = 10n ** BigInt(fiatDecimals(bought));
  return (
    (BigInt(sold) * parsed.numerator * scale) / (parsed.denominator * 10n ** BigInt(decimalsOf(currency)))
  );
}

/** @param tolerance in percent, as a decimal */
function isOutside(delivered: bigint, expected: bigint, tolerance: string): boolean {
  const { numerator, denominator } = parseRate(tolerance) ?? { numerator: 0n, denominator: 1n };
  // One minor unit can be lost by rounding.
  return (size(delivered - expected) - 1n) * 100n * denominator > expected * numerator;
}

function compare(row: Row, { tolerance, rates }: Parts["config"]["conversion"]): Finding[] {
  const { id, intent, currency, sold, bought } = row;
  const delivered = BigInt(row.delivered);
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
          `Payout ${id} of ${intent}: ${formatMoney(BigInt(sold), currency)} was sold and ${arrived} ${bought} arrived, ` +
          `but at the ${source} rate ${rate} it should be ${due} ${bought} (tolerance ${tolerance} %).`,
        ...buildStake(BigInt(sold), currency),
        identity: `${sold} ${delivered} ${bought} ${source} ${rate} ${tolerance}`,
        subject: { check: "payments", intentId: intent },
      },
    ];
  }
  return [];
}

/** The payments whose delivered value differs from the sold value. */
export async function compareConversions(
  { database, config }: Parts,
  ids: readonly IntentId[],
): Promise<Finding[]> {
  const { rows } = await database.execute<Row>(sql`
    select id, intent_id as intent, currency, (amount - fee)::text as sold, delivered_amount::text as delivered,
      delivered_currency as bought, rate
    from gateway.payout
    where intent_id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
      and state = 'completed' and delivered_amount is not null and delivered_currency is not null
    order by id`);
  return rows.flatMap((row) => compare(row, config.conversion));
}
