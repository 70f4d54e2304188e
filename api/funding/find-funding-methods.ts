// Reads from the chain which funding methods a token supports. A method is only offered if the domain that the
// token reports is certain to be the domain with which it verifies signatures.
import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { authorizationAbi } from "#core/chain/abi/authorization.ts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { type ChainClient, callIfSupported } from "#core/chain/client.ts";
import {
  type FundingDomain,
  type FundingMethod,
  type FundingOffer,
  hashFundingDomain,
} from "#core/chain/funding-methods.ts";

/** keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)") */
const ERC2612_TYPEHASH = "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9";
/** keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)") */
const DAI_TYPEHASH = "0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb";

/** Returns the domain of a token's typed data, or undefined if the token has none or it cannot be determined. */
async function loadTokenDomain(client: ChainClient, token: Address): Promise<FundingDomain | undefined> {
  const ask = { address: token, abi: authorizationAbi } as const;
  const [separator, reported, name, version] = await Promise.all([
    callIfSupported(() => client.readContract({ ...ask, functionName: "DOMAIN_SEPARATOR" })),
    callIfSupported(() => client.readContract({ ...ask, functionName: "eip712Domain" })),
    callIfSupported(() => client.readContract({ ...ask, functionName: "name" })),
    callIfSupported(() => client.readContract({ ...ask, functionName: "version" })),
  ]);
  const own = reported
    ? { name: reported[1], version: reported[2] }
    : { name: name ?? "", version: version ?? "1" };
  const domain = { ...own, chainId: client.chain.id, verifyingContract: token };
  return separator === hashFundingDomain(domain) ? domain : undefined;
}

/**
 * A token that reports no type hash uses ERC-2612's type hash. DAI's type hash is used only if the token reports
 * it.
 */
function findPermitMethod(typeHash: Hex | undefined): FundingMethod | undefined {
  if (typeHash === undefined || typeHash === ERC2612_TYPEHASH) return "ERC_2612";
  return typeHash === DAI_TYPEHASH ? "DAI_PERMIT" : undefined;
}

async function tokenOffers(client: ChainClient, token: Address): Promise<FundingOffer[]> {
  const domain = await loadTokenDomain(client, token);
  if (!domain) return [];
  const ask = { address: token, abi: authorizationAbi } as const;
  const [nonce, typeHash, used] = await Promise.all([
    callIfSupported(() => client.readContract({ ...ask, functionName: "nonces", args: [zeroAddress] })),
    callIfSupported(() => client.readContract({ ...ask, functionName: "PERMIT_TYPEHASH" })),
    callIfSupported(() =>
      client.readContract({ ...ask, functionName: "authorizationState", args: [zeroAddress, zeroHash] }),
    ),
  ]);
  const permit = nonce === undefined ? undefined : findPermitMethod(typeHash);
  return [
    ...(permit ? [{ method: permit, domain }] : []),
    ...(used === undefined ? [] : [{ method: "ERC_3009" as const, domain }]),
  ];
}

/** Returns the offer of Permit2, as used by the escrow, if Permit2 is deployed on this chain. */
async function permit2Offers(client: ChainClient, contract: Address): Promise<FundingOffer[]> {
  const permit2 = await client.readContract({
    address: contract,
    abi: deliveryVsPaymentAbi,
    functionName: "PERMIT2",
  });
  const code = await client.getCode({ address: permit2 });
  if (code === undefined) return [];
  const domain = { name: "Permit2", chainId: client.chain.id, verifyingContract: permit2 };
  return [{ method: "PERMIT2", domain }];
}

/**
 * Returns every funding method except the plain allowance, which every token supports.
 * @throws ServiceError 503, or viem's errors, if the chain is unreachable
 */
export async function findFundingOffers(
  client: ChainClient,
  contract: Address,
  token: Address,
): Promise<FundingOffer[]> {
  const found = await Promise.all([tokenOffers(client, token), permit2Offers(client, contract)]);
  return found.flat();
}
