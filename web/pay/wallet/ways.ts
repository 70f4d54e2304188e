// The ways in which a payer can pay, and the shortest of them: one signature, then two, then the payer's own
// transactions.
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
import type { Verified } from "../verify.ts";

export type Wallet = Client<Transport, Chain, Account>;

/** What the wallet will be asked for. The typed data is the very object that is shown, and then signed. */
export type Way =
  | { by: "signature"; method: FundingMethod; payment: TypedDataDefinition; permit?: TypedDataDefinition }
  | { by: "transaction" };

/**
 * What checks the payer's signature: the payer's key, the contract that is the account, or, in the key's place,
 * EIP-7702 code.
 */
export type Signer = "key" | "contract" | "delegated";

/** EIP-7702: the account is still its key's, and its wallet signs with it. */
const DELEGATED = "0xef0100";

export function findSigner(code: Hex | undefined): Signer {
  if (code === undefined) return "key";
  return code.startsWith(DELEGATED) ? "delegated" : "contract";
}

type Facts = {
  /** What the payment costs, and what the escrow and Permit2 may take; in the token's smallest unit. */
  amount: bigint;
  allowance: bigint;
  permit2Allowance: bigint;
  signer: Signer;
};

/**
 * The escrow asks the key first, with any code of the account. Permit2 and some tokens (USDC) ask the code of an
 * account that has some (ERC-1271), others only the key: a contract's own wallet knows what Permit2 wants, and what
 * the code of a delegated account says to its key's signature nobody knows. DAI's permit comes last: it allows any
 * amount.
 * @returns undefined if no signature will do
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

/** Permit2 as the escrow knows it, and what it may take. */
async function permit2Of(wallet: Wallet, { contract, terms }: Verified) {
  const address = await readContract(wallet, {
    address: contract,
    abi: deliveryVsPaymentAbi,
    functionName: "PERMIT2",
  });
  return { address, allowance: await loadAllowance(wallet, terms.token, address) };
}

/** A way of which something cannot be read is one way less, and no reason not to pay by another. */
const ifReadable = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined);

/** What the chain says of payer and token: everything at once, and only what the offers need. */
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

/** What the token itself checks, under its own domain. */
const OF_THE_TOKEN: ReadonlySet<FundingMethod> = new Set(["ERC_3009", "ERC_2612", "DAI_PERMIT"]);

/**
 * The domains under which this payer could sign, by method. Chain and contract are the ones that the payment's id
 * commits to, independent of the gateway; what it says beyond them, the token has to confirm.
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

/** What the chain says of payer and token, and the domains under which this payer could sign. */
export async function readFunding(wallet: Wallet, verified: Verified, offers: FundingOffer[]) {
  const facts = await read(wallet, verified, offers);
  return { ...facts, domains: loadDomains(verified, offers, facts) };
}

/** Asks the wallet's chain which way is the shortest, and makes what is to be signed. */
export async function shortestWay(wallet: Wallet, verified: Verified, offers: FundingOffer[]): Promise<Way> {
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
    // A contract's signature counts where message or terms name the payer, and a PaymentIntent's message never does.
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

/** Of the payment's own typed data: enough where the escrow may take the amount, and for test tokens. */
export const bareSignature = (verified: Verified, payer: Address) =>
  ({
    by: "signature",
    method: "ALLOWANCE",
    payment: verified.typedDataFor(payer) as unknown as TypedDataDefinition,
  }) satisfies Way;
