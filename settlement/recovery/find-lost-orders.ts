// Restores lost intents: on-chain orders that name this gateway's operator, wallet and merchant but have no intent. The
// order's terms are on chain and are restored. The bank account is not, so no provider ever pays out for a restored
// intent.
import { and, eq, gte, inArray, notExists, sql } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import { orderIdOf, storeTerms, type Terms } from "#core/chain/terms.ts";
import { findLimits, hasWallet } from "#core/config/off-ramp-account.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { reconciliationSeal } from "#core/db/schema/reconciliation-runs.ts";
import { type IntentId, toIntentId } from "#core/ids.ts";
import { LOST_DESTINATION } from "#core/intent/lost-destination.ts";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { computeQuote, showQuote } from "#core/off-ramp/quotes-and-limits.ts";
import { findCurrency, formatMoney } from "../reconciliation/discrepancy.ts";
import type { Context } from "../runtime/context.ts";
import type { Repair } from "./repair.ts";

/** Returns the terms as the API would have stored them, with checksummed addresses. */
function readTerms(row: chain.OrderRow): Terms {
  const { salt, amount, fundingDeadline, deliveryPeriod, disputeWindow, timeLockUntil, releaseType } = row;
  const { autoReleaseOnProof, expectedDeliveryHash } = row;
  return {
    operator: getAddress(row.operator),
    arbiter: getAddress(row.arbiter),
    deliveryOracle: getAddress(row.deliveryOracle),
    payee: getAddress(row.payee),
    payer: getAddress(row.boundPayer),
    offRamp: getAddress(row.offRamp),
    token: getAddress(row.token),
    ...{ salt, amount, fundingDeadline, deliveryPeriod, disputeWindow, timeLockUntil, releaseType },
    ...{ autoReleaseOnProof, expectedDeliveryHash },
  };
}

/** Returns the first settlement method of the account that owns the order's wallet. */
function findMethod({ config }: Context, wallet: Address, currency: string): SettlementMethod {
  const owner = config.accounts.find((account) => hasWallet(account, wallet));
  const served = owner && SETTLEMENT_METHODS.find((method) => findLimits(owner, { method, currency }));
  return served ?? (config.mode === "test" ? "OFF_RAMP_MOCK" : "OFF_RAMP_TO_BANK");
}

/** Reads orders without an intent that name our operator and one of our wallets, oldest first. */
async function readLostOrders({ database, deployment, relayer }: Context, since: Date) {
  const wallets = await database.select({ address: offRampWallet.address }).from(offRampWallet);
  const known = [...deployment.wallets, ...wallets.map(({ address }) => address)];
  return database
    .select()
    .from(chain.order)
    .where(
      and(
        gte(chain.order.createdAt, toUnixSeconds(since)),
        eq(chain.order.operator, relayer.account.address),
        inArray(chain.order.offRamp, known),
        notExists(database.select({ id: intent.id }).from(intent).where(eq(intent.id, chain.order.id))),
      ),
    )
    .orderBy(chain.order.createdBlock, chain.order.id);
}

/** @returns a repair for each lost order; `restored` receives the id of each inserted intent */
export async function findLostOrders(
  context: Context,
  since: Date,
  restored: (id: IntentId) => void,
): Promise<Repair[]> {
  const { database, config, deployment } = context;
  const repairs: Repair[] = [];
  for (const row of await readLostOrders(context, since)) {
    const payees = await database
      .select({ id: merchant.id, name: merchant.name })
      .from(merchant)
      .where(eq(sql`lower(${merchant.account})`, row.payee.toLowerCase()));
    const [payee] = payees;
    // Anyone may use the contract, so an order without a known merchant is not ours.
    if (!payee) continue;
    const currency = findCurrency(deployment.tokens, row.token);
    const kind = "order_without_intent" as const;
    const paid = currency ? formatMoney(row.amount, currency) : `${row.amount} units of ${row.token}`;
    const says = `Order ${row.id} for ${paid}, funded by ${row.payer} in block ${row.createdBlock}, has no payment intent.`;
    const terms = readTerms(row);
    const isKnown = orderIdOf(deployment.chainId, deployment.contract, terms) === row.id;
    if (!currency || payees.length > 1 || !isKnown) {
      const why = !isKnown
        ? "its id is not the hash of its terms"
        : currency
          ? `${payees.length} merchants have the account ${row.payee}`
          : "its token is not configured";
      repairs.push({ kind, about: row.id, says, does: `Nothing: ${why}.` });
      continue;
    }
    const id = toIntentId(row.id);
    const method = findMethod(context, row.offRamp, currency);
    repairs.push({
      ...{ kind, about: row.id, says },
      does:
        `Restores ${id} of merchant ${payee.name} from the order's terms. Its bank account is lost: the payee has to ` +
        "withdraw released funds, and settled funds have to be paid manually unless their transfer is found.",
      async apply(note) {
        await database.transaction(async (tx) => {
          const made = await tx
            .insert(intent)
            .values({
              ...{
                id,
                orderId: row.id,
                deploymentId: deployment.id,
                merchantId: payee.id,
                mode: config.mode,
              },
              ...{ type: "DELIVERY_VS_PAYMENT", amount: row.amount, currency, settlementMethod: method },
              settlementDestination: LOST_DESTINATION,
              ...showQuote(computeQuote(config, { method, amount: row.amount, currency }), currency),
              ...{ terms: storeTerms(terms), metadata: {}, createdAt: new Date(row.createdAt * 1_000) },
            })
            .onConflictDoNothing()
            .returning({ id: intent.id });
          if (made.length === 0) return;
          // Sealed comparisons have counted this order as a foreign order.
          await tx.delete(reconciliationSeal).where(eq(reconciliationSeal.deploymentId, deployment.id));
          await note(tx);
          restored(id);
        });
      },
    });
  }
  return repairs;
}
