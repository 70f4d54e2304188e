// Signs the typed data with which a payer authorizes the escrow to transfer tokens, built from the checkout's terms and
// domains.
import { expect } from "chai";
import type { Address, Hex, TypedDataDefinition } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import {
  daiPermitTypedData,
  erc2612TypedData,
  erc3009TypedData,
  type FundingMethod,
  type FundingOffer,
  permit2TypedData,
} from "#core/chain/funding-methods.ts";
import { restoreTerms, type StoredTerms } from "#core/chain/terms.ts";
import type { OrderId } from "#core/ids.ts";
import type { Client, Intent } from "./client.ts";

type Checkout = { data: { contractAddress: Address; terms: StoredTerms; fundingMethods: FundingOffer[] } };

export async function checkoutOf(client: Client, { id }: Pick<Intent, "id">): Promise<Checkout["data"]> {
  const { status, body } = await client.get<Checkout>(`/payment-intents/public/${id}/checkout`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.data;
}

export const methodsOf = ({ fundingMethods }: Checkout["data"]): FundingMethod[] =>
  fundingMethods.map(({ method }) => method);

/** @param options `nonce`: the payer's next permit nonce; `allowed`: only for DAI_PERMIT */
export async function signFor(
  client: Client,
  intent: Pick<Intent, "id">,
  payer: PrivateKeyAccount,
  method: Exclude<FundingMethod, "ALLOWANCE">,
  { nonce = 0n, allowed = true } = {},
): Promise<Hex> {
  const { contractAddress: contract, terms, fundingMethods } = await checkoutOf(client, intent);
  const domain = fundingMethods.find((offer) => offer.method === method)?.domain;
  if (!domain) throw new Error(`The checkout does not offer ${method}.`);
  const orderId = intent.id.replace("intent_", "0x") as OrderId;
  const authorized = { contract, orderId, terms: restoreTerms(terms) };
  const typedData = () => {
    switch (method) {
      case "ERC_2612":
        return erc2612TypedData(domain, authorized, payer.address, nonce);
      case "DAI_PERMIT":
        return daiPermitTypedData(domain, authorized, payer.address, nonce, { allowed });
      case "ERC_3009":
        return erc3009TypedData(domain, authorized, payer.address);
      case "PERMIT2":
        return permit2TypedData(domain, authorized, payer.address);
    }
  };
  return payer.signTypedData(typedData() as unknown as TypedDataDefinition);
}
