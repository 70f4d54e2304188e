// Revokes a payer's authorizations for a payment that is not on chain, in the token contract or in Permit2.
import { erc20Abi, parseSignature, type TypedDataDefinition } from "viem";
import { readContract, signTypedData, writeContract } from "viem/actions";
import { authorizationAbi, permit2NonceAbi } from "#core/chain/abi/authorization.ts";
import {
  cancelAuthorizationTypedData,
  daiPermitTypedData,
  erc2612TypedData,
  type FundingDomain,
  type FundingMethod,
  type FundingOffer,
  locatePermit2Nonce,
} from "#core/chain/funding-methods.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { Verified } from "../payment/verify.ts";
import { requireCommitted, untilMined } from "./pay.ts";
import { readFunding, type Wallet } from "./payment-methods.ts";

/** `ALLOWANCE` revokes the escrow's allowance. The other methods revoke an unused signature of that method. */
export type Revocation =
  | { method: "ALLOWANCE"; allowance: bigint }
  | { method: "PERMIT2"; domain: FundingDomain }
  | { method: "ERC_3009"; domain: FundingDomain }
  | { method: "ERC_2612" | "DAI_PERMIT"; domain: FundingDomain; nonce: bigint };

export type Asked = {
  wallet: Wallet;
  verified: Verified;
  offers: FundingOffer[];
  /** The funding method that this account signed for, unless the signature has expired. */
  signed: FundingMethod | undefined;
};

/** Returns the signed authorization, unless it has been used or revoked. */
async function findSigned(
  { wallet, verified, signed }: Asked,
  { domains, nonce }: Awaited<ReturnType<typeof readFunding>>,
): Promise<Revocation | undefined> {
  const domain = signed && domains.get(signed);
  const payer = wallet.account.address;
  const orderId = orderIdOfIntent(verified.id);
  if (domain === undefined) return undefined;
  if (signed === "ERC_3009") {
    const used = await readContract(wallet, {
      address: domain.verifyingContract,
      abi: authorizationAbi,
      functionName: "authorizationState",
      args: [payer, orderId],
    });
    return used ? undefined : { method: signed, domain };
  }
  if (signed === "PERMIT2") {
    const { wordPos, mask } = locatePermit2Nonce(orderId);
    const word = await readContract(wallet, {
      address: domain.verifyingContract,
      abi: permit2NonceAbi,
      functionName: "nonceBitmap",
      args: [payer, wordPos],
    });
    return (word & mask) === 0n ? { method: signed, domain } : undefined;
  }
  const isPermit = signed === "ERC_2612" || signed === "DAI_PERMIT";
  return isPermit && nonce !== undefined ? { method: signed, domain, nonce } : undefined;
}

/** @throws viem's errors if the wallet's chain is unreachable */
export async function findRevocations(asked: Asked): Promise<Revocation[]> {
  const { wallet, verified, offers } = asked;
  const funding = await readFunding(wallet, verified, offers);
  const signed = await findSigned(asked, funding);
  const { allowance } = funding;
  return [
    ...(signed ? [signed] : []),
    ...(allowance > 0n ? [{ method: "ALLOWANCE", allowance } as const] : []),
  ];
}

/**
 * Sends the transaction that revokes an authorization. For ERC-3009 and permits, the transaction contains another
 * signature by the payer.
 */
async function send(wallet: Wallet, { id, contract, terms }: Verified, revocation: Revocation) {
  const payer = wallet.account.address;
  const orderId = orderIdOfIntent(id);
  const sign = async (typedData: unknown) => {
    const signature = await signTypedData(wallet, {
      ...(typedData as TypedDataDefinition),
      account: wallet.account,
    });
    const { r, s, yParity } = parseSignature(signature);
    return [yParity + 27, r, s] as const;
  };
  switch (revocation.method) {
    case "ALLOWANCE":
      return writeContract(wallet, {
        address: terms.token,
        abi: erc20Abi,
        functionName: "approve",
        args: [contract, 0n],
      });
    case "PERMIT2": {
      const { wordPos, mask } = locatePermit2Nonce(orderId);
      return writeContract(wallet, {
        address: revocation.domain.verifyingContract,
        abi: permit2NonceAbi,
        functionName: "invalidateUnorderedNonces",
        args: [wordPos, mask],
      });
    }
    case "ERC_3009":
      return writeContract(wallet, {
        address: terms.token,
        abi: authorizationAbi,
        functionName: "cancelAuthorization",
        args: [
          payer,
          orderId,
          ...(await sign(cancelAuthorizationTypedData(revocation.domain, orderId, payer))),
        ],
      });
    case "ERC_2612": {
      // A permit for a zero amount uses up the nonce of the signed permit.
      const { domain, nonce } = revocation;
      const nothing = { contract, terms: { ...terms, amount: 0n } };
      const signature = await sign(erc2612TypedData(domain, nothing, payer, nonce));
      return writeContract(wallet, {
        address: terms.token,
        abi: authorizationAbi,
        functionName: "permit",
        args: [payer, contract, 0n, BigInt(terms.fundingDeadline), ...signature],
      });
    }
    case "DAI_PERMIT": {
      // The same permit with `allowed: false` also uses up the nonce. An approval of zero does not use up the nonce.
      const { domain, nonce } = revocation;
      const expiry = BigInt(terms.fundingDeadline);
      const typedData = daiPermitTypedData(domain, { contract, terms }, payer, nonce, { allowed: false });
      return writeContract(wallet, {
        address: terms.token,
        abi: authorizationAbi,
        functionName: "permit",
        args: [payer, contract, nonce, expiry, false, ...(await sign(typedData))],
      });
    }
  }
}

/** Resolves when the transaction is mined. @throws see problem.ts */
export async function revoke(
  { wallet, verified, signal }: Pick<Asked, "wallet" | "verified"> & { signal: AbortSignal },
  revocation: Revocation,
  onSent: () => void,
): Promise<void> {
  await requireCommitted(wallet, verified);
  signal.throwIfAborted();
  const hash = await send(wallet, verified, revocation);
  onSent();
  await untilMined(wallet, hash);
}
