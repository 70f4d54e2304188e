// Tests the detection of funding methods with the responses of tokens on Ethereum mainnet.
import { describe, expect, test } from "bun:test";
import {
  type Abi,
  type Address,
  concat,
  createPublicClient,
  custom,
  decodeFunctionData,
  defineChain,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbiParameters,
  RpcRequestError,
  type TypedDataDefinition,
  zeroHash,
} from "viem";
import { authorizationAbi } from "#core/chain/abi/authorization.ts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { ChainClient } from "#core/chain/client.ts";
import { daiPermitTypedData, hashFundingDomain } from "#core/chain/funding-methods.ts";
import type { Terms } from "#core/chain/terms.ts";
import { findFundingOffers } from "./find-funding-methods.ts";

const ESCROW = "0x1111111111111111111111111111111111111111";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const DAI = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

type Answers = Record<string, unknown>;

const ANSWERS: Record<Address, Answers> = {
  [ESCROW]: { PERMIT2 },
  [USDC]: {
    name: "USD Coin",
    version: "2",
    DOMAIN_SEPARATOR: "0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335",
    PERMIT_TYPEHASH: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
    nonces: 0n,
    authorizationState: false,
  },
  [DAI]: {
    name: "Dai Stablecoin",
    version: "1",
    DOMAIN_SEPARATOR: "0xdbb8cf42e1ecb028be3f3dbc922e1d878b963f411dc388ced501601c60f7c6f7",
    PERMIT_TYPEHASH: "0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb",
    nonces: 0n,
  },
  [USDT]: { name: "Tether USD" },
};

/** An error returned by a node. */
type Failure = { code: number; message: string; data?: Hex };

const REVERTED: Failure = { code: 3, message: "execution reverted", data: "0x" };

/** Creates a client of a node with these contracts. Calls of functions that a contract lacks fail with `failure`. */
function nodeOf({ changes = {}, code = "0x" as Hex, failure = REVERTED } = {}): ChainClient {
  const known: Record<Address, Answers> = { ...ANSWERS, ...changes };
  const call = ({ to, data }: { to: Address; data: Hex }): Hex => {
    const abi: Abi = to === ESCROW ? deliveryVsPaymentAbi : authorizationAbi;
    const { functionName } = decodeFunctionData({ abi, data });
    const result = known[to]?.[functionName];
    if (result === undefined) throw new RpcRequestError({ body: {}, url: "", error: failure });
    return encodeFunctionResult({ abi, functionName, result });
  };
  const request = async ({ method, params }: { method: string; params: [{ to: Address; data: Hex }] }) =>
    method === "eth_getCode" ? code : call(params[0]);
  const chain = defineChain({
    id: 1,
    name: "main",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  return createPublicClient({ chain, transport: custom({ request }, { retryCount: 0 }) });
}

const methodsOf = async (node: ChainClient, token: Address) =>
  (await findFundingOffers(node, ESCROW, token)).map(({ method }) => method);

describe("the funding methods", () => {
  test("are read from the token: two for USDC, none for USDT, and DAI's own permit", async () => {
    expect(await methodsOf(nodeOf(), USDC)).toEqual(["ERC_2612", "ERC_3009"]);
    expect(await methodsOf(nodeOf(), USDT)).toEqual([]);
    expect(await methodsOf(nodeOf(), DAI)).toEqual(["DAI_PERMIT"]);
  });

  test("include DAI's permit under its own domain only if the token reports DAI's type hash", async () => {
    const [offer] = await findFundingOffers(nodeOf(), ESCROW, DAI);
    expect(offer).toEqual({
      method: "DAI_PERMIT",
      domain: { name: "Dai Stablecoin", version: "1", chainId: 1, verifyingContract: DAI },
    });
    const { PERMIT_TYPEHASH, ...unnamed } = ANSWERS[DAI] as Answers;
    const { nonces: _, ...uncounted } = ANSWERS[DAI] as Answers;
    const changed = async (answers: Answers) => methodsOf(nodeOf({ changes: { [DAI]: answers } }), DAI);
    expect(await changed(unnamed)).toEqual(["ERC_2612"]);
    expect(await changed({ ...unnamed, PERMIT_TYPEHASH: zeroHash })).toEqual([]);
    expect(await changed(uncounted)).toEqual([]);
    expect(await changed({ ...unnamed, PERMIT_TYPEHASH, version: "2" })).toEqual([]);
    expect(await changed({ ...unnamed, PERMIT_TYPEHASH, DOMAIN_SEPARATOR: zeroHash })).toEqual([]);
  });

  test("sign the hash that DAI's contract verifies", () => {
    const domain = { name: "Dai Stablecoin", version: "1", chainId: 1, verifyingContract: DAI } as const;
    const terms = { fundingDeadline: 1_800_000_000 } as Terms;
    const typedData = daiPermitTypedData(domain, { contract: ESCROW, terms }, USDC, 7n, { allowed: true });
    const struct = encodeAbiParameters(
      parseAbiParameters("bytes32, address, address, uint256, uint256, bool"),
      [ANSWERS[DAI]?.PERMIT_TYPEHASH as Hex, USDC, ESCROW, 7n, 1_800_000_000n, true],
    );
    const digest = keccak256(concat(["0x1901", ANSWERS[DAI]?.DOMAIN_SEPARATOR as Hex, keccak256(struct)]));
    expect(hashTypedData(typedData as unknown as TypedDataDefinition)).toBe(digest);
  });

  test("include Permit2 under its own domain if it is deployed", async () => {
    const [offer] = await findFundingOffers(nodeOf({ code: "0x60" }), ESCROW, USDT);
    expect(offer).toEqual({
      method: "PERMIT2",
      domain: { name: "Permit2", chainId: 1, verifyingContract: PERMIT2 },
    });
    expect(offer && hashFundingDomain(offer.domain)).toBe(
      "0x866a5aba21966af95d6c7ab78eb2b2fc913915c28be3b9aa07cc04ff903e3f28",
    );
  });

  test("are empty for a token that verifies signatures under a domain other than the one it reports", async () => {
    const renamed = { ...ANSWERS[USDC], name: "USDC" };
    expect(await methodsOf(nodeOf({ changes: { [USDC]: renamed } }), USDC)).toEqual([]);
    const reported = ["0x0f", "USD Coin", "2", 1n, USDC, zeroHash, []];
    expect(
      await methodsOf(nodeOf({ changes: { [USDC]: { ...renamed, eip712Domain: reported } } }), USDC),
    ).toHaveLength(2);
  });

  test.each<Failure>([
    { code: -32000, message: "execution reverted" },
    { code: -32603, message: "VM Exception while processing transaction: reverted" },
    { code: -32000, message: "invalid opcode: INVALID" },
    { code: -32000, message: "out of gas" },
  ])("exclude a method that the token rejects, with any error wording: %j", async (failure) => {
    expect(await methodsOf(nodeOf({ failure }), USDT)).toEqual([]);
    expect(await methodsOf(nodeOf({ failure }), USDC)).toHaveLength(2);
  });

  test.each<Failure>([
    { code: -32005, message: "limit exceeded" },
    { code: -32000, message: "header not found" },
    { code: -32603, message: "Internal error" },
  ])("are not guessed when the node fails: %j", async (failure) => {
    await expect(findFundingOffers(nodeOf({ failure }), ESCROW, USDT)).rejects.toMatchObject({ status: 503 });
  });
});
