// What payments have settled on chain, and the payouts that exist for it.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText, intentIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import { fundsOfAttempts } from "../runtime/planned-amount.ts";
import type { VerifiableSettlement } from "./verify-receipt.ts";

/** A settlement as known to the indexer. */
export type Settlement = VerifiableSettlement & { number: number; block: number; settledAt: number };

/** All attempts of a payout. */
export type Part = {
  intentId: IntentId;
  /** The number of its settlement. */
  number: number;
  part: number;
  /**
   * The funds that it pays, in the token's smallest unit. A retry pays the same funds again, less the fees that the merchant
   * bears, unless it was reduced to what the chain covers.
   */
  amount: bigint;
  /**
   * Whether an attempt has paid it, or may have: it was accepted, the outcome of its call is unknown (its funds are
   * allocated), or operators have paid it.
   */
  mayBePaid: boolean;
  /** The settlement as it was when the payout was planned, which includes its verification on chain. */
  txHash: string;
  settlementAmount: bigint;
};

type AsText<T, Names extends keyof T> = Omit<T, Names> & Record<Names, string>;
type SettlementJson = AsText<Settlement, "amount">;
type PartJson = AsText<Part, "amount" | "settlementAmount">;

const restoreSettlement = (json: SettlementJson): Settlement => ({ ...json, amount: BigInt(json.amount) });

const restorePart = (json: PartJson): Part => ({
  ...json,
  amount: BigInt(json.amount),
  settlementAmount: BigInt(json.settlementAmount),
});

export const s = alias(chain.settlement, "s");
export const p = alias(payout, "p");

/** The settlements (`s`) that match a condition, as one value. */
export const settlementsWhere = (where: SQL): SQL<Settlement[]> =>
  sql`(
  select coalesce(json_agg(json_build_object('orderId', ${hexText(s.orderId)}, 'number', ${s.number}, 'offRamp', ${hexText(s.offRamp)},
    'amount', ${s.amount}::text, 'settledAt', ${s.settledAt}, 'block', ${s.block}, 'blockHash', ${hexText(s.blockHash)},
    'txHash', ${hexText(s.txHash)}) order by ${s.number}), '[]')
  from ${chain.settlement} s where ${where})`.mapWith((rows: SettlementJson[]) =>
    rows.map(restoreSettlement),
  );

/** The parts of the payouts (`p`) that match a condition, as rows: what `Part` describes, as the database stores it. */
export const groupParts = (where: SQL): SQL => sql`
    select ${p.intentId} as intent, ${p.settlementNumber} as number, ${p.part},
      ${fundsOfAttempts(p)} as amount,
      min(${p.settlementAmount}) as "settlementAmount", min(${p.settlementTxHash}) as "txHash",
      bool_or(${p.state} in ('submitted', 'completed') or ${p.externalReference} is not null
        or ${p.state} = 'quarantined' and ${p.calledAt} is not null or ${p.state} = 'created' and ${p.allocated}) as "mayBePaid"
    from ${payout} p where ${where} group by ${p.intentId}, ${p.settlementNumber}, ${p.part}`;

/** The parts of the payouts (`p`) that match a condition, as one value. */
export const partsWhere = (where: SQL): SQL<Part[]> =>
  sql`(
  select coalesce(json_agg(json_build_object('intentId', ${intentIdText(sql`intent`)}, 'number', number, 'part', part, 'amount', amount::text,
    'settlementAmount', "settlementAmount"::text, 'txHash', ${hexText(sql`"txHash"`)}, 'mayBePaid', "mayBePaid")), '[]')
  from (${groupParts(where)}) parts)`.mapWith((rows: PartJson[]) => rows.map(restorePart));

export const sum = (amounts: readonly { amount: bigint }[]): bigint =>
  amounts.reduce((total, { amount }) => total + amount, 0n);
