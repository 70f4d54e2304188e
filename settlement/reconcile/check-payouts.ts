// Payouts against the settlements that they pay out, the wallets that they are paid from, and the provider's own list.
import { type SQL, sql } from "drizzle-orm";
import type { PayoutState } from "#core/db/payout-schema.ts";
import type { Currency } from "#core/money.ts";
import { listOffRamps } from "../offramp/accounts.ts";
import type { OffRamp, Transfer } from "../offramp/off-ramp.ts";
import { lackOf, readWallets } from "../wallets.ts";
import { currencyOf, type Discrepancy, money } from "./discrepancy.ts";
import type { Parts, Scope } from "./scope.ts";

/** That what is settled is paid out whole: the first attempts of its parts make up the settlement. */
export async function checkPlans(
  { database, deployment }: Parts,
  { merchantId, recent, since }: Scope,
): Promise<Discrepancy[]> {
  type Row = { subject: string; intent: string; currency: Currency; settled: string; planned: string };
  const young = recent
    ? sql`and subject in (select subject from gateway.ledger_posting
        where deployment_id = ${deployment.id} and kind = 'settled' and created_at >= ${since.toISOString()})`
    : sql``;
  const own = merchantId === undefined ? sql`` : sql`and l.merchant_id = ${merchantId}`;
  const { rows } = await database.execute<Row>(sql`
    select l.subject, l.intent_id as intent, l.currency, l.amount::text as settled,
      coalesce(p.amount, 0)::text as planned
    from (select subject, intent_id, currency, merchant_id, sum(case when taken_back then -amount else amount end) as amount
      from gateway.ledger_posting where deployment_id = ${deployment.id} and kind = 'settled' ${young}
      group by 1, 2, 3, 4) l
    left join (select intent_id, settlement_id, sum(amount) as amount
      from gateway.payout where attempt = 1 group by 1, 2) p on p.intent_id = l.intent_id and p.settlement_id = l.subject
    where l.amount > 0 and l.amount <> coalesce(p.amount, 0) ${own}`);
  return rows.map(({ subject, intent, currency, settled, planned }) => ({
    kind: "unplanned_payout",
    about: subject,
    says:
      `Settlement ${subject} of ${intent} brought ${money(BigInt(settled), currency)} to the off-ramp, ` +
      `its payouts come to ${money(BigInt(planned), currency)}.`,
  }));
}

/** That every wallet holds what the payouts need that are still to be ordered. */
export async function checkWalletBalances(parts: Parts): Promise<Discrepancy[]> {
  const wallets = await readWallets(parts);
  return wallets.flatMap((wallet): Discrepancy[] => {
    const { token, offRamp, need, balance } = wallet;
    const lack = lackOf(wallet);
    const currency = currencyOf(parts.deployment.tokens, token);
    if (lack === 0n || !currency) return [];
    return [
      {
        kind: "wallet_shortfall",
        about: `${currency} ${offRamp}`,
        says:
          `The off-ramp's wallet ${offRamp} holds ${money(balance, currency)}, payouts to be ordered need ` +
          `${money(need, currency)}: ${money(lack, currency)} are missing.`,
      },
    ];
  });
}

type Payout = {
  id: string;
  intent: string;
  reference: string;
  state: PayoutState;
  amount: string;
  fee: string;
  currency: Currency;
  account: string | null;
  providerId: string | null;
  createdAt: string;
  merchantId: string;
};

const COLUMNS = sql`id, intent_id as intent, reference, state, amount::text, fee::text, currency, account,
  provider_id as "providerId", created_at::text as "createdAt", merchant_id as "merchantId"`;

const find = async ({ database }: Parts, where: SQL): Promise<Payout[]> =>
  (await database.execute<Payout>(sql`select ${COLUMNS} from gateway.payout where ${where}`)).rows;

/** The provider's word is our last: nobody asks after it any more, or only now and then. */
const OVER: readonly PayoutState[] = ["completed", "failed", "returned"];

/** Before the provider's answer is known. It is asked again within five minutes. */
const ORDERED: readonly PayoutState[] = ["created", "quarantined"];
const UNNOTICED_MS = 900_000;

function compare(payout: Payout, transfer: Transfer, { account }: Pick<OffRamp, "account">): Discrepancy[] {
  const { id, currency, state } = payout;
  const differs = (says: string): Discrepancy => ({ kind: "different_transfer", about: id, says });
  const named = `Payout ${id} of ${payout.intent}`;
  if (payout.account !== null && payout.account !== account) {
    return [
      differs(
        `${named} belongs to "${payout.account}", "${account}" has transfer ${transfer.providerId} for it.`,
      ),
    ];
  }
  if (payout.providerId !== null && payout.providerId !== transfer.providerId) {
    return [
      differs(`${named} is transfer ${payout.providerId}, the provider has ${transfer.providerId} as well.`),
    ];
  }
  if (transfer.currency !== currency || transfer.amount !== BigInt(payout.amount)) {
    const ours = money(BigInt(payout.amount), currency);
    const theirs = money(transfer.amount, transfer.currency);
    return [
      differs(`${named} is over ${ours}, the provider's transfer ${transfer.providerId} over ${theirs}.`),
    ];
  }
  if (ORDERED.includes(state) && Date.now() - transfer.createdAt.getTime() > UNNOTICED_MS) {
    return [
      differs(`${named} is ${state}, although the provider has accepted transfer ${transfer.providerId}.`),
    ];
  }
  if (!OVER.includes(state)) return [];
  if (transfer.state !== state) {
    return [
      differs(`${named} is ${state}, the provider's transfer ${transfer.providerId} ${transfer.state}.`),
    ];
  }
  if (state === "completed" && transfer.fee !== BigInt(payout.fee)) {
    const [ours, theirs] = [money(BigInt(payout.fee), currency), money(transfer.fee, currency)];
    return [
      differs(
        `Of ${named} the provider kept ${theirs} (transfer ${transfer.providerId}), we know of ${ours}.`,
      ),
    ];
  }
  return [];
}

async function checkProvider(parts: Parts, scope: Scope, offRamp: OffRamp) {
  await offRamp.verify?.();
  const found: Discrepancy[] = [];
  /** The transfer of each reference. */
  const seen = new Map<string, string>();
  const judge = async (transfers: Transfer[]) => {
    parts.signal?.throwIfAborted();
    // Read after the transfers: a payout is there before its transfer is.
    const references = JSON.stringify(transfers.map(({ reference }) => reference));
    const payouts = await find(
      parts,
      sql`reference in (select jsonb_array_elements_text(${references}::jsonb))`,
    );
    const of = new Map(payouts.map((payout) => [payout.reference, payout]));
    for (const transfer of transfers) {
      const { providerId, reference } = transfer;
      const payout = of.get(reference);
      const first = seen.get(reference) ?? providerId;
      seen.set(reference, first);
      if (payout && (scope.merchantId ?? payout.merchantId) === payout.merchantId) {
        found.push(...compare(payout, transfer, offRamp));
        if (first !== providerId) {
          const says = `Payout ${payout.id} of ${payout.intent} was made twice: transfers ${first} and ${providerId}.`;
          found.push({ kind: "different_transfer", about: payout.id, says });
        }
      }
      if (!payout && scope.merchantId === undefined) {
        found.push({
          kind: "unknown_transfer",
          about: transfer.providerId,
          says:
            `The provider's transfer ${transfer.providerId} over ${money(transfer.amount, transfer.currency)} ` +
            `(reference ${transfer.reference}, ${transfer.state}) is no payout of ours.`,
        });
      }
    }
  };
  let page: Transfer[] = [];
  for await (const transfer of offRamp.transfers({ since: scope.since })) {
    page.push(transfer);
    if (page.length < PAGE) continue;
    await judge(page);
    page = [];
  }
  await judge(page);
  found.push(...(await checkMissing(parts, scope, { offRamp, seen })));
  return found;
}

const PAGE = 500;

/** Payouts of this chain that the account's provider is said to have accepted and does not list: it is asked by reference, to be sure. */
async function checkMissing(
  parts: Parts,
  { since, merchantId }: Scope,
  { offRamp, seen }: { offRamp: OffRamp; seen: ReadonlyMap<string, string> },
): Promise<Discrepancy[]> {
  const own = merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`;
  const accepted = await find(
    parts,
    sql`state in ('submitted', 'completed', 'returned') and created_at >= ${since.toISOString()}
      and account = ${offRamp.account} ${own}
      and intent_id in (select id from gateway.intent where deployment_id = ${parts.deployment.id})`,
  );
  const found: Discrepancy[] = [];
  for (const payout of accepted.filter(({ reference }) => !seen.has(reference))) {
    parts.signal?.throwIfAborted();
    const { id, intent, reference, providerId, state, amount, currency } = payout;
    const transfer = await offRamp.lookUp(reference, { providerId, notBefore: new Date(payout.createdAt) });
    if (transfer) found.push(...compare(payout, transfer, offRamp));
    else {
      found.push({
        kind: "missing_transfer",
        about: id,
        says:
          `Payout ${id} of ${intent} over ${money(BigInt(amount), currency)} is ${state} (reference ${reference}), ` +
          "and the provider does not know it.",
      });
    }
  }
  return found;
}

/** That payouts and the provider's transfers are the same, with the same amounts and ends. */
export async function checkProviders(parts: Parts, scope: Scope): Promise<Discrepancy[]> {
  const found: Discrepancy[] = [];
  for (const offRamp of listOffRamps(parts.offRamps)) {
    found.push(...(await checkProvider(parts, scope, offRamp)));
  }
  return found;
}
