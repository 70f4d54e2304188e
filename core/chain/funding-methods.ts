// The methods by which a payer can let the escrow take the token, and the typed data that the payer signs for each
// method (contracts/parts/Funding.sol). All values derive from the order's terms: each nonce is the order's id, and
// each deadline is the funding deadline.
import { type Address, type Hex, hashDomain } from "viem";
import type { OrderId } from "../ids.ts";
import type { Terms } from "./terms.ts";
import { EIP712_DOMAIN } from "./typed-data.ts";

/**
 * ALLOWANCE: the payer has already approved the escrow, and signs only the payment's typed data.
 * ERC_2612: the payer signs an approval (permit) in addition to the payment's typed data.
 * DAI_PERMIT: like ERC_2612, but with DAI's own permit, which allows any amount until it is revoked.
 * ERC_3009, PERMIT2: one signature is both the approval and the payment.
 */
export const FUNDING_METHODS = ["ALLOWANCE", "ERC_2612", "DAI_PERMIT", "ERC_3009", "PERMIT2"] as const;
export type FundingMethod = (typeof FUNDING_METHODS)[number];

/** The EIP-712 domain of the token or of Permit2, whose domain has no version. */
export type FundingDomain = {
  name: string;
  version?: string;
  chainId: number;
  verifyingContract: Address;
};

/** A funding method that a token supports, and the EIP-712 domain of the data that is signed for it. */
export type FundingOffer = { method: FundingMethod; domain: FundingDomain };

export type Authorized = { contract: Address; orderId: OrderId; terms: Terms };

const buildDomainType = ({ version }: FundingDomain) =>
  EIP712_DOMAIN.filter(({ name }) => name !== "version" || version !== undefined);

/** Returns the `DOMAIN_SEPARATOR()` of a contract with this domain. */
export const hashFundingDomain = (domain: FundingDomain): Hex =>
  hashDomain({
    domain,
    types: { EIP712Domain: buildDomainType(domain) },
  } as unknown as Parameters<typeof hashDomain>[0]);

/** Builds the ERC-3009 authorization. Only the escrow can submit it, because the escrow is the receiver. */
export function erc3009TypedData(
  domain: FundingDomain,
  { contract, orderId, terms }: Authorized,
  payer: Address,
) {
  return {
    types: {
      EIP712Domain: buildDomainType(domain),
      ReceiveWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "ReceiveWithAuthorization",
    domain,
    message: {
      from: payer,
      to: contract,
      value: terms.amount.toString(),
      validAfter: 0,
      // The token accepts the authorization only before this second, while the funding deadline is inclusive.
      validBefore: terms.fundingDeadline + 1,
      nonce: orderId as Hex,
    },
  } as const;
}

/** Builds the typed data that voids an unused ERC-3009 authorization. */
export function cancelAuthorizationTypedData(domain: FundingDomain, orderId: OrderId, payer: Address) {
  return {
    types: {
      EIP712Domain: buildDomainType(domain),
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    domain,
    message: { authorizer: payer, nonce: orderId as Hex },
  } as const;
}

/** Locates the bit in which Permit2 stores whether a payment's nonce (the order's id) is used. */
export function locatePermit2Nonce(orderId: OrderId): { wordPos: bigint; mask: bigint } {
  const nonce = BigInt(orderId);
  return { wordPos: nonce >> 8n, mask: 1n << (nonce & 0xffn) };
}

/**
 * Builds a Permit2 "SignatureTransfer" with a witness. Only the escrow can submit it, and only for this order.
 * Permit2's own fields do not name the owner, so the witness names the paying wallet.
 */
export function permit2TypedData(
  domain: FundingDomain,
  { contract, orderId, terms }: Authorized,
  payer: Address,
) {
  return {
    types: {
      EIP712Domain: buildDomainType(domain),
      PermitWitnessTransferFrom: [
        { name: "permitted", type: "TokenPermissions" },
        { name: "spender", type: "address" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
        { name: "witness", type: "Payment" },
      ],
      Payment: [
        { name: "orderId", type: "bytes32" },
        { name: "payer", type: "address" },
      ],
      TokenPermissions: [
        { name: "token", type: "address" },
        { name: "amount", type: "uint256" },
      ],
    },
    primaryType: "PermitWitnessTransferFrom",
    domain,
    message: {
      permitted: { token: terms.token, amount: terms.amount.toString() },
      spender: contract,
      nonce: BigInt(orderId).toString(),
      deadline: terms.fundingDeadline,
      witness: { orderId: orderId as Hex, payer },
    },
  } as const;
}

/** Builds the ERC-2612 approval of exactly the amount. @param nonce the payer's next nonce at the token */
export function erc2612TypedData(
  domain: FundingDomain,
  { contract, terms }: Pick<Authorized, "contract" | "terms">,
  payer: Address,
  nonce: bigint,
) {
  return {
    types: {
      EIP712Domain: buildDomainType(domain),
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    domain,
    message: {
      owner: payer,
      spender: contract,
      value: terms.amount.toString(),
      nonce: nonce.toString(),
      deadline: terms.fundingDeadline,
    },
  } as const;
}

/**
 * Builds DAI's own permit, which predates ERC-2612 and names no amount.
 * @param nonce the payer's next nonce at the token
 * @param allowed true if the escrow may take any amount; false revokes the permit
 */
export function daiPermitTypedData(
  domain: FundingDomain,
  { contract, terms }: Pick<Authorized, "contract" | "terms">,
  payer: Address,
  nonce: bigint,
  { allowed }: { allowed: boolean },
) {
  return {
    types: {
      EIP712Domain: buildDomainType(domain),
      Permit: [
        { name: "holder", type: "address" },
        { name: "spender", type: "address" },
        { name: "nonce", type: "uint256" },
        { name: "expiry", type: "uint256" },
        { name: "allowed", type: "bool" },
      ],
    },
    primaryType: "Permit",
    domain,
    message: {
      holder: payer,
      spender: contract,
      nonce: nonce.toString(),
      expiry: terms.fundingDeadline,
      allowed,
    },
  } as const;
}
