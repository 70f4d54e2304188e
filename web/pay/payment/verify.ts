// Checks a payment against the id in the page's URL before a wallet is opened. The id is the hash of chain, contract
// and terms. Changing any of them, in transit or in the gateway, results in a different id.
import type { Address } from "viem";
import { orderIdOf, RELEASE_TYPES, type ReleaseType, restoreTerms, type Terms } from "#core/chain/terms.ts";
import {
  deliveryVsPaymentTypedData,
  type PayerTypedData,
  paymentIntentTypedData,
} from "#core/chain/typed-data.ts";
import { type IntentId, orderIdOfIntent } from "#core/ids.ts";
import { CURRENCY_DECIMALS, formatAmount, registerCurrency } from "#core/money.ts";
import type { Checkout } from "./checkout.ts";

/**
 * The verified data that the page shows and asks the wallet to sign. No other source may determine where the
 * payment's money goes.
 */
export type Verified = {
  id: IntentId;
  chainId: number;
  contract: Address;
  terms: Terms;
  releaseType: ReleaseType;
  /** The typed data for this payer. */
  typedDataFor(payer: Address): PayerTypedData;
};

function readCommitment({ data }: Checkout): { terms: Terms; orderId: string } | undefined {
  try {
    const terms = restoreTerms(data.terms);
    return { terms, orderId: orderIdOf(data.chainId, data.contractAddress, terms) };
  } catch {
    // Terms that cannot be encoded have no id.
    return undefined;
  }
}

/** Well-known symbols must have their well-known decimals, regardless of the value that the gateway reports. */
function isUsable({ currency, decimals }: Checkout["data"]): boolean {
  const known = new Map<string, number>(Object.entries(CURRENCY_DECIMALS)).get(currency);
  return known === undefined ? Number.isInteger(decimals) && decimals >= 2 : decimals === known;
}

/** @returns undefined if the payment does not match the id */
export function verify(id: IntentId, checkout: Checkout): Verified | undefined {
  const { data } = checkout;
  const { chainId, contractAddress: contract, currency } = data;
  const commitment = readCommitment(checkout);
  if (checkout.id !== id || commitment?.orderId !== orderIdOfIntent(id)) return undefined;
  const { terms } = commitment;
  const releaseType = RELEASE_TYPES[terms.releaseType];
  if (releaseType === undefined || !isUsable(data)) return undefined;
  registerCurrency(currency, data.decimals);
  if (formatAmount(terms.amount, currency) !== data.amount) return undefined;
  if ((releaseType === "IMMEDIATE") !== (data.type === "CONDITIONAL")) return undefined;
  return {
    id,
    chainId,
    contract,
    terms,
    releaseType,
    typedDataFor: (payer) =>
      releaseType === "IMMEDIATE"
        ? paymentIntentTypedData(chainId, contract, id, terms)
        : deliveryVsPaymentTypedData(chainId, contract, id, terms, payer),
  };
}
