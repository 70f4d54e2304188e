// Intents in the form in which the API stores them.
import { randomBytes } from "node:crypto";
import { type Address, toHex, zeroAddress, zeroHash } from "viem";
import { orderIdOf, storeTerms, type Terms } from "#core/chain/terms.ts";
import { requireToken } from "#core/config/token-config.ts";
import type { Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { type IntentId, type OrderId, toIntentId } from "#core/ids.ts";

export type TestIntent = { id: IntentId; orderId: OrderId; terms: Terms };

export type Parties = { merchantId: string; payee: Address; operator: Address; offRamp: Address };

export type IntentChange = Partial<typeof intent.$inferInsert>;

/** Stores an intent for 100 units of the currency. */
export async function insertIntent(
  database: Database,
  deployment: Deployment,
  { merchantId, ...parties }: Parties,
  more: IntentChange = {},
  change: Partial<Terms> = {},
): Promise<TestIntent> {
  const currency = more.currency ?? "USDC";
  const terms: Terms = {
    ...parties,
    salt: toHex(randomBytes(32)),
    arbiter: "0x00000000000000000000000000000000000a7b17",
    payer: zeroAddress,
    deliveryOracle: zeroAddress,
    token: requireToken(deployment.tokens, currency),
    amount: currency === "DAI" ? 100n * 10n ** 18n : 100_000_000n,
    fundingDeadline: Math.floor(Date.now() / 1_000) + 604_800,
    deliveryPeriod: 2_592_000,
    disputeWindow: 604_800,
    timeLockUntil: 0,
    releaseType: 0,
    autoReleaseOnProof: true,
    expectedDeliveryHash: zeroHash,
    ...change,
  };
  const orderId = orderIdOf(deployment.chainId, deployment.contract, terms);
  const id = toIntentId(orderId);
  await database.insert(intent).values({
    id,
    deploymentId: deployment.id,
    merchantId,
    mode: "test",
    type: "DELIVERY_VS_PAYMENT",
    amount: terms.amount,
    currency,
    settlementMethod: "OFF_RAMP_MOCK",
    settlementDestination: "bank_account_123",
    estimatedFee: "0.00",
    estimatedDeliveryTime: "30s",
    terms: storeTerms(terms),
    metadata: {},
    ...more,
  });
  return { id, orderId, terms };
}
