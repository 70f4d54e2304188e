// Finds the funding methods that a payer can use, and the shortest of them: one signature, then two signatures, then
// the payer's own transactions.
import type { Account, Address, Chain, Client, Hex, Transport, TypedDataDefinition } from "viem";
import { erc20Abi, zeroAddress } from "viem";
import { getCode, readContract } from "viem/actions";
import { authorizationAbi } from "#core/chain/abi/authorization.ts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import {
  daiPermitTypedData,
  erc2612TypedData,
  erc3009TypedData,
  type FundingDomain,
  type FundingMethod,
  type FundingOffer,
  hashFundingDomain,
  permit2TypedData,
} from "#core/chain/funding-methods.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { Verified } from "../payment/verify.ts";

export type Wallet = Client<Transport, Chain, Account>;

/** The upcoming wallet requests. The typed data that is shown is the same object that is then signed. */
export type PaymentMethod =
  | { by: "signature"; method: FundingMethod; payment: TypedDataDefinition; permit?: TypedDataDefinition }
  | { by: "transaction" };

/**
 * What verifies the payer's signature: the payer's key, the account's contract, or EIP-7702 code that overrides
 * the key.
 */
export type Signer = "key" | "contract" | "delegated";

/** Prefix of EIP-7702 code. The key still owns the account, and the wallet signs with the key. */
const DELEGATED = "0xef0100";

export function findSigner(code: Hex | undefined): Signer {
  if (code === undefined) return "key";
  return code.startsWith(DELEGATED) ? "delegated" : "contract";
}

type Facts = {
  /** The payment's amount and the allowances of the escrow and Permit2, in the token's smallest unit. */
  amount: bigint;
  allowance: bigint;
  permit2Allowance: bigint;
  signer: Signer;
};

/**
 * The escrow first verifies a signature against the key, whether or not the account has code. If the account has code,
 * Permit2 and some tokens (USDC) call that code (ERC-1271); other tokens accept only the key. The wallet of a contract
 * account knows which signature Permit2 accepts, but it is unknown whether the code of a delegated account accepts a
 * signature of the account's key. DAI's permit comes last because it is unlimited.
 * @returns undefined if no signature is possible
 */
export function shortest(offered: ReadonlySet<FundingMethod>, facts: Facts): FundingMethod | undefined {
  const { amount, allowance, permit2Allowance, signer } = facts;
  if (allowance >= amount) return "ALLOWANCE";
  if (offered.has("ERC_3009") && signer === "key") return "ERC_3009";
  if (offered.has("PERMIT2") && signer !== "delegated" && permit2Allowance >= amount) return "PERMIT2";
  if (offered.has("ERC_2612") && signer === "key") return "ERC_2612";
  if (offered.has("DAI_PERMIT") && signer === "key") return "DAI_PERMIT";
  return undefined;
}

const loadAllowance = (wallet: Wallet, token: Address, spender: Address): Promise<bigint> =>
  readContract(wallet, {
    address: token,
    abi: erc20Abi,
    functionName: "allowance",
    args: [wallet.account.address, spender],
  });

/** Returns the escrow's Permit2 contract, and the allowance that the payer has granted to Permit2. */
async function permit2Of(wallet: Wallet, { contract, terms }: Verified) {
  const address = await readContract(wallet, {
    address: contract,
    abi: deliveryVsPaymentAbi,
    functionName: "PERMIT2",
  });
  return { address, allowance: await loadAllowance(wallet, terms.token, address) };
}

/** If a method's data cannot be read, the method is skipped and the other methods remain possible. */
const ifReadable = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined);

/** Reads the on-chain state of payer and token in parallel, and only the state that the offers require. */
async function read(wallet: Wallet, verified: Verified, offers: FundingOffer[]) {
  const { contract, terms } = verified;
  const payer = wallet.account.address;
  const isOffered = (...methods: FundingMethod[]) => offers.some(({ method }) => methods.includes(method));
  const token = { address: terms.token, abi: authorizationAbi } as const;
  const [allowance, code, permit2, separator, nonce] = await Promise.all([
    loadAllowance(wallet, terms.token, contract),
    getCode(wallet, { address: payer }),
    isOffered("PERMIT2") ? ifReadable(permit2Of(wallet, verified)) : undefined,
    isOffered("ERC_3009", "ERC_2612", "DAI_PERMIT")
      ? ifReadable(readContract(wallet, { ...token, functionName: "DOMAIN_SEPARATOR" }))
      : undefined,
    isOffered("ERC_2612", "DAI_PERMIT")
      ? ifReadable(readContract(wallet, { ...token, functionName: "nonces", args: [payer] }))
      : undefined,
  ]);
  return { allowance, signer: findSigner(code), permit2, separator, nonce };
}

/** Methods that the token itself verifies, under its own domain. */
const OF_THE_TOKEN: ReadonlySet<FundingMethod> = new Set(["ERC_3009", "ERC_2612", "DAI_PERMIT"]);

/**
 * Returns the domains under which this payer can sign, by method. The payment's id determines the chain and the
 * contract, independent of the gateway. The token must confirm everything else that the gateway reports.
 */
function loadDomains(
  { chainId, terms }: Verified,
  offers: FundingOffer[],
  { permit2, separator }: Awaited<ReturnType<typeof read>>,
): Map<FundingMethod, FundingDomain> {
  const domains = new Map<FundingMethod, FundingDomain>();
  for (const { method, domain } of offers) {
    const own = { ...domain, chainId, verifyingContract: terms.token };
    const isConfirmed = separator !== undefined && separator === hashFundingDomain(own);
    if (OF_THE_TOKEN.has(method) && isConfirmed) domains.set(method, own);
    if (method === "PERMIT2" && permit2) {
      domains.set(method, { name: "Permit2", chainId, verifyingContract: permit2.address });
    }
  }
  return domains;
}

/** Reads the on-chain state of payer and token, and the domains under which this payer can sign. */
export async function readFunding(wallet: Wallet, verified: Verified, offers: FundingOffer[]) {
  const facts = await read(wallet, verified, offers);
  return { ...facts, domains: loadDomains(verified, offers, facts) };
}

/** Reads from the wallet's chain which method is the shortest, and builds the typed data to sign. */
export async function findShortestPaymentMethod(
  wallet: Wallet,
  verified: Verified,
  offers: FundingOffer[],
): Promise<PaymentMethod> {
  const { id, contract, terms } = verified;
  const payer = wallet.account.address;
  const { allowance, signer, permit2, nonce, domains } = await readFunding(wallet, verified, offers);
  const method = shortest(new Set(domains.keys()), {
    amount: terms.amount,
    allowance,
    permit2Allowance: permit2?.allowance ?? 0n,
    signer,
  });
  if (method === undefined) return { by: "transaction" };
  const domain = domains.get(method);
  if (method === "ALLOWANCE" || domain === undefined) {
    // A contract account's signature is valid only if the message or the terms name the payer. A PaymentIntent message
    // never names the payer.
    const isUnnamed = verified.releaseType === "IMMEDIATE" && terms.payer === zeroAddress;
    return signer === "contract" && isUnnamed ? { by: "transaction" } : bareSignature(verified, payer);
  }
  const authorized = { contract, orderId: orderIdOfIntent(id), terms };
  switch (method) {
    case "ERC_3009":
      return { by: "signature", method, payment: erc3009TypedData(domain, authorized, payer) as never };
    case "PERMIT2":
      return { by: "signature", method, payment: permit2TypedData(domain, authorized, payer) as never };
    case "ERC_2612": {
      if (nonce === undefined) return { by: "transaction" };
      const permit = erc2612TypedData(domain, authorized, payer, nonce) as never;
      return { ...bareSignature(verified, payer), method, permit };
    }
    case "DAI_PERMIT": {
      if (nonce === undefined) return { by: "transaction" };
      const permit = daiPermitTypedData(domain, authorized, payer, nonce, { allowed: true }) as never;
      return { ...bareSignature(verified, payer), method, permit };
    }
  }
}

/**
 * Builds the method that signs only the payment's own typed data. This is enough with an allowance, and for test
 * tokens.
 */
export const bareSignature = (verified: Verified, payer: Address) =>
  ({
    by: "signature",
    method: "ALLOWANCE",
    payment: verified.typedDataFor(payer) as unknown as TypedDataDefinition,
  }) satisfies PaymentMethod;
