// The EIP-712 typed data that a payer signs, in the two shapes of the spec (spec, "Typed data"; EIP-712).
import { type Address, type Hex, zeroAddress } from "viem";
import { type IntentId, orderIdOfIntent } from "../ids.ts";
import type { Terms } from "./terms.ts";

export const EIP712_DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

const DELIVERY_VS_PAYMENT = [
  { name: "intentId", type: "string" },
  { name: "payer", type: "address" },
  { name: "payee", type: "address" },
  { name: "amount", type: "uint256" },
  { name: "token", type: "address" },
  { name: "deadline", type: "uint256" },
] as const;

const PAYMENT_INTENT = [
  { name: "intentId", type: "bytes32" },
  { name: "amount", type: "uint256" },
  { name: "nonce", type: "uint256" },
] as const;

const buildDomain = (chainId: number, contract: Address) =>
  ({ name: "DeliveryVsPayment", version: "1", chainId, verifyingContract: contract }) as const;

/** The typed data of an escrow payment. `payer` is the zero address while the payer is unknown. */
export function deliveryVsPaymentTypedData(
  chainId: number,
  contract: Address,
  intentId: IntentId,
  terms: Terms,
  payer: Address = zeroAddress,
) {
  return {
    types: { EIP712Domain: EIP712_DOMAIN, DeliveryVsPayment: DELIVERY_VS_PAYMENT },
    primaryType: "DeliveryVsPayment",
    domain: buildDomain(chainId, contract),
    message: {
      intentId,
      payer,
      payee: terms.payee,
      amount: terms.amount.toString(),
      token: terms.token,
      deadline: terms.fundingDeadline,
    },
  } as const;
}

/** The typed data of a CONDITIONAL intent, which is released as soon as it is funded. */
export function paymentIntentTypedData(chainId: number, contract: Address, intentId: IntentId, terms: Terms) {
  return {
    types: { EIP712Domain: EIP712_DOMAIN, PaymentIntent: PAYMENT_INTENT },
    primaryType: "PaymentIntent",
    domain: buildDomain(chainId, contract),
    message: { intentId: orderIdOfIntent(intentId) as Hex, amount: terms.amount.toString(), nonce: 0 },
  } as const;
}

export type PayerTypedData =
  | ReturnType<typeof deliveryVsPaymentTypedData>
  | ReturnType<typeof paymentIntentTypedData>;
