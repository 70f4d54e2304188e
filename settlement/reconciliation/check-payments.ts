// Compares the ledger with the chain and the payouts for a page of payments, using the same comparison that writes it.
// Also checks that settlements are paid out completely.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { getAddress } from "viem";
import { intentIdText } from "#core/db/as-text.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import { FLOWS } from "#core/ledger/flows.ts";
import type { Currency } from "#core/money.ts";
import { type Difference, findDifferences } from "../ledger/differences.ts";
import { finalizedBlock } from "../runtime/finalized-block.ts";
import { fundsOfAttempts } from "../runtime/planned-amount.ts";
import { compareConversions } from "./check-conversions.ts";
import {
  buildStake,
  type Discrepancy,
  type Finding,
  formatAccountMoney,
  formatMoney,
  stakeOn,
} from "./discrepancy.ts";
import { openPayments, type PaymentsCursor } from "./list-payments.ts";
import type { Dependencies } from "./scope.ts";
import type { Stage } from "./stage.ts";

const SAYS: Record<Difference["kind"], string> = {
  funded: "was paid into the escrow",
  refunded: "was returned to the payer",
  withdrawn: "was withdrawn by the merchant on chain",
  settled: "was settled to the off-ramp",
  paid: "was paid out",
  paid_externally: "was paid out manually",
  fee: "was kept by the provider",
  gas: "was kept by the provider for network fees",
  delivered: "arrived at the bank",
  fee_covered: "was added by the gateway to cover the fee of a returned payout",
  payout_returned: "was returned by the bank",
  network_fee: "was paid for gas by the gateway",
  lost: "was paid out although its settlement is not on chain",
};

/** The ledger has the signer's address, which is part of a network fee's subject, in lower case. */
const showSubject = ({ kind, subject }: Difference): string =>
  kind === "network_fee" ? subject.replace(/^0x[0-9a-f]{40}/, (signer) => getAddress(signer)) : subject;

function describe(missing: Difference, ofIntent: Currency, held: boolean): Discrepancy {
  const currency = missing.currency ?? ofIntent;
  const { kind, amount, reversed, intentId, payoutId } = missing;
  const subject = showSubject(missing);
  const what = payoutId ?? (subject === "" ? intentId : `${subject} of ${intentId}`);
  const [account] = FLOWS[kind];
  const fact = `${formatAccountMoney(account, amount, currency)} ${SAYS[kind]} (${kind}, ${what})`;
  return {
    kind: "missing_posting",
    about: [kind, intentId, subject].join(" ").trim(),
    says:
      `${reversed ? "The ledger has an incorrect posting" : "The ledger has no posting for this"}: ${fact}` +
      `${held ? "; it is not posted, because it would overdraw an account" : ""}.`,
    ...stakeOn(account, amount, currency),
    identity: [reversed ? "reversed" : "missing", amount, currency, what, held ? "held" : ""].join(" "),
  };
}

/** Checks that every fact is posted, and nothing else. */
async function comparePostings(
  parts: Dependencies,
  ids: readonly IntentId[],
  finalized: bigint | undefined,
): Promise<Finding[]> {
  const { deployment, guard } = parts;
  const touched = sql`select ${intent.id} from ${intent}
    where ${isAmong(intent.id, ids)} and ${intent.deploymentId} = ${deployment.id}`;
  const { snapshot, findings } = await findDifferences(parts, touched, finalized);
  await guard(snapshot);
  const { differences, held } = findings;
  const missing = [
    ...differences.map((difference) => ({ difference, held: false })),
    ...held.map((difference) => ({ difference, held: true })),
  ];
  const currencies = await loadCurrencies(
    parts,
    missing.map(({ difference }) => difference.intentId),
  );
  return missing.map(({ difference, held: isHeld }) => ({
    ...describe(difference, currencies.get(difference.intentId) ?? "USDC", isHeld),
    subject: { check: "payments", intentId: difference.intentId },
  }));
}

async function loadCurrencies({ database }: Dependencies, ids: IntentId[]): Promise<Map<IntentId, Currency>> {
  if (ids.length === 0) return new Map();
  const rows = await database
    .select({ id: intent.id, currency: intent.currency })
    .from(intent)
    .where(isAmong(intent.id, ids));
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}

/**
 * Checks that the funds of a payment's payouts add up to its settlements, and that those that are still to be paid do not
 * exceed what remains. What was paid beyond the settlements is a loss.
 */
async function comparePlans(
  { database, deployment }: Dependencies,
  ids: readonly IntentId[],
): Promise<Finding[]> {
  type Row = { intent: IntentId; currency: Currency; settled: string; planned: string };
  const [g, o] = [alias(ledgerPosting, "g"), alias(payout, "o")];
  const { rows } = await database.execute<Row>(sql`
    select ${intentIdText(sql`l.intent_id`)} as intent, l.currency, l.settled::text as settled, p.planned::text as planned
    from (
      select ${g.intentId}, ${g.currency}, sum(case when ${g.reversed} then -${g.amount} else ${g.amount} end) as settled
      from ${ledgerPosting} g
      where ${isAmong(g.intentId, ids)} and ${g.deploymentId} = ${deployment.id} and ${g.kind} = 'settled' group by 1, 2) l
    cross join lateral (
      select coalesce(sum(amount), 0) as planned, coalesce(sum(amount) filter (where state in ('submitted', 'completed')), 0) as paid,
        coalesce(sum(amount) filter (where state in ('created', 'quarantined', 'returned')), 0) as open
      from (
        select ${fundsOfAttempts(o)} as amount, (array_agg(${o.state} order by ${o.attempt} desc))[1] as state
        from ${payout} o where ${o.intentId} = l.intent_id group by ${o.settlementNumber}, ${o.part}) parts) p
    where settled > planned or settled > 0 and open > greatest(0, settled - paid) order by 1`);
  return rows.map(({ intent, currency, settled, planned }) => ({
    kind: "unplanned_payout",
    about: intent,
    says:
      `The settlements of ${intent} transferred ${formatMoney(BigInt(settled), currency)} to the off-ramp, ` +
      `but its payouts add up to ${formatMoney(BigInt(planned), currency)}.`,
    ...buildStake(BigInt(settled) - BigInt(planned), currency),
    identity: `${settled} ${planned}`,
    subject: { check: "payments", intentId: intent },
  }));
}

/** @param ids at most a few hundred */
export async function comparePayments(parts: Dependencies, ids: readonly IntentId[]): Promise<Finding[]> {
  if (ids.length === 0) return [];
  const finalized = await finalizedBlock(parts);
  return [
    ...(await comparePostings(parts, ids, finalized)),
    ...(await comparePlans(parts, ids)),
    ...(await compareConversions(parts, ids)),
  ];
}

export const payments: Stage = {
  name: "payments",
  open({ parts, scope }) {
    const list = openPayments(parts, scope);
    return async (cursor) => {
      const { ids, next } = await list((cursor as PaymentsCursor | null) ?? { source: 0, key: null });
      return { found: await comparePayments(parts, ids), cursor: next };
    };
  },
};
