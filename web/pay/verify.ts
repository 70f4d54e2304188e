// Checks a payment against the id in the page's address, before a wallet is opened. The id is the hash of chain,
// contract and terms, so a change of any of them, on the way or in the gateway, makes it another payment.
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

/** What the page shows and has signed: nothing else of a payment's money may come from elsewhere. */
export type Verified = {
  id: IntentId;
  chainId: number;
  contract: Address;
  terms: Terms;
  releaseType: ReleaseType;
  /** What this payer signs. */
  typedDataFor(payer: Address): PayerTypedData;
};

function readCommitment({ data }: Checkout): { terms: Terms; orderId: string } | undefined {
  try {
    const terms = restoreTerms(data.terms);
    return { terms, orderId: orderIdOf(data.chainId, data.contractAddress, terms) };
  } catch {
    // Terms that cannot even be encoded have no id.
    return undefined;
  }
}

/** The well-known symbols have the decimals that everybody knows them by, independent of the gateway. */
function isUsable({ currency, decimals }: Checkout["data"]): boolean {
  const known = new Map<string, number>(Object.entries(CURRENCY_DECIMALS)).get(currency);
  return known === undefined ? Number.isInteger(decimals) && decimals >= 2 : decimals === known;
}

/** @returns undefined if this is not the payment that the id stands for */
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
