// The ways in which a payer can pay, and the shortest of them: one signature, then two, then his own transactions.
import type { Account, Address, Chain, Client, Hex, Transport, TypedDataDefinition } from "viem";
import { erc20Abi } from "viem";
import { getCode, readContract } from "viem/actions";
import { authorizationAbi } from "#core/chain/abi/authorization.ts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import {
  domainSeparatorOf,
  erc2612TypedData,
  erc3009TypedData,
  type FundingDomain,
  type FundingMethod,
  type FundingOffer,
  permit2TypedData,
} from "#core/chain/funding-methods.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { Verified } from "../verify.ts";

export type Wallet = Client<Transport, Chain, Account>;

/** What the wallet will be asked for. The typed data is the very object that is shown, and then signed. */
export type Way =
  | { by: "signature"; method: FundingMethod; payment: TypedDataDefinition; permit?: TypedDataDefinition }
  | { by: "transaction" };

type Facts = {
  /** What the payment costs, and what the escrow and Permit2 may take; in the token's smallest unit. */
  amount: bigint;
  allowance: bigint;
  permit2Allowance: bigint;
  /** The payer is a contract, whose signatures most tokens do not know. */
  isContract: boolean;
};

/** @returns undefined if no signature will do */
export function shortest(offered: ReadonlySet<FundingMethod>, facts: Facts): FundingMethod | undefined {
  const { amount, allowance, permit2Allowance, isContract } = facts;
  if (allowance >= amount) return "ALLOWANCE";
  if (offered.has("ERC_3009") && !isContract) return "ERC_3009";
  if (offered.has("PERMIT2") && permit2Allowance >= amount) return "PERMIT2";
  if (offered.has("ERC_2612") && !isContract) return "ERC_2612";
  return undefined;
}

/** EIP-7702: the code of an account that its own key still rules. */
const DELEGATED = "0xef0100";

const isContractCode = (code: Hex | undefined): boolean => code !== undefined && !code.startsWith(DELEGATED);

const allowanceOf = (wallet: Wallet, token: Address, spender: Address): Promise<bigint> =>
  readContract(wallet, {
    address: token,
    abi: erc20Abi,
    functionName: "allowance",
    args: [wallet.account.address, spender],
  });

/**
 * The domains under which this payer could sign, by method. Chain and contract are the ones that the payment's id commits
 * to, whatever the gateway says; what it says beyond them, the token has to confirm.
 */
async function domainsOf(wallet: Wallet, { chainId, contract, terms }: Verified, offers: FundingOffer[]) {
  const domains = new Map<FundingMethod, FundingDomain>();
  for (const { method, domain } of offers) {
    if (method === "PERMIT2") {
      const permit2 = await readContract(wallet, {
        address: contract,
        abi: deliveryVsPaymentAbi,
        functionName: "PERMIT2",
      });
      domains.set(method, { name: "Permit2", chainId, verifyingContract: permit2 });
    } else if (method !== "ALLOWANCE") {
      const own = { ...domain, chainId, verifyingContract: terms.token };
      const separator = await readContract(wallet, {
        address: terms.token,
        abi: authorizationAbi,
        functionName: "DOMAIN_SEPARATOR",
      });
      if (separator === domainSeparatorOf(own)) domains.set(method, own);
    }
  }
  return domains;
}

/** Asks the wallet's chain which way is the shortest, and makes what is to be signed. */
export async function shortestWay(wallet: Wallet, verified: Verified, offers: FundingOffer[]): Promise<Way> {
  const { id, contract, terms } = verified;
  const payer = wallet.account.address;
  const [domains, allowance, code] = await Promise.all([
    domainsOf(wallet, verified, offers),
    allowanceOf(wallet, terms.token, contract),
    getCode(wallet, { address: payer }),
  ]);
  const permit2 = domains.get("PERMIT2")?.verifyingContract;
  const method = shortest(new Set(domains.keys()), {
    amount: terms.amount,
    allowance,
    permit2Allowance: permit2 === undefined ? 0n : await allowanceOf(wallet, terms.token, permit2),
    isContract: isContractCode(code),
  });
  if (method === undefined) return { by: "transaction" };
  const domain = domains.get(method);
  if (method === "ALLOWANCE" || domain === undefined) return bareSignature(verified, payer);
  const authorized = { contract, orderId: orderIdOfIntent(id), terms };
  switch (method) {
    case "ERC_3009":
      return { by: "signature", method, payment: erc3009TypedData(domain, authorized, payer) as never };
    case "PERMIT2":
      return { by: "signature", method, payment: permit2TypedData(domain, authorized) as never };
    case "ERC_2612": {
      const nonce = await readContract(wallet, {
        address: terms.token,
        abi: authorizationAbi,
        functionName: "nonces",
        args: [payer],
      });
      const permit = erc2612TypedData(domain, authorized, payer, nonce) as never;
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
