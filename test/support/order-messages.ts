// The EIP-712 messages that an oracle or the parties sign about a funded order (contracts/README.md, "Signatures").
import type { Address, TypedDataDefinition } from "viem";

const ORDER_FIELDS = [
  { name: "intentId", type: "string" },
  { name: "payee", type: "address" },
  { name: "amount", type: "uint256" },
  { name: "token", type: "address" },
] as const;

const TYPES = {
  DeliveryProof: [
    ...ORDER_FIELDS,
    { name: "proofHash", type: "bytes32" },
    { name: "proofURI", type: "string" },
  ],
  Shipment: ORDER_FIELDS,
  MilestoneRelease: [...ORDER_FIELDS, { name: "cumulativeAmount", type: "uint256" }],
  Dispute: [
    ...ORDER_FIELDS,
    { name: "reason", type: "string" },
    { name: "window", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
  DisputeAgreement: [
    ...ORDER_FIELDS,
    { name: "raisedBy", type: "string" },
    { name: "payeeAmount", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

export type OrderMessage = keyof typeof TYPES;

/** The domain and the fields that the payer's own typed data shares with every message about the order. */
export interface PayersTypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: Address };
  message: Readonly<Record<string, string | number>>;
}

/** @param values the message's own fields, which follow the order's fields */
export function orderMessage(
  { domain, message }: PayersTypedData,
  primaryType: OrderMessage,
  values: Readonly<Record<string, unknown>> = {},
): TypedDataDefinition {
  const order = Object.fromEntries(ORDER_FIELDS.map(({ name }) => [name, message[name]]));
  return {
    domain,
    types: TYPES,
    primaryType,
    message: { ...order, ...values },
  };
}
