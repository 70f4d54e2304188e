// Reads a token contract's restrictions on our accounts: paused transfers, blacklisted accounts, transfer fees. The
// functions are those of Circle's FiatToken 2.2 (USDC) and of TetherToken (USDT); a token that has none of them is
// unrestricted.
import { type Address, parseAbi } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { ChainClient } from "#core/chain/client.ts";
import { requireToken, type Tokens } from "#core/config/token-config.ts";
import { serviceUnavailable } from "#core/errors.ts";
import type { Currency } from "#core/money.ts";

export const RESTRICTIONS = ["paused", "escrow_blacklisted", "fee", "off_ramp_blacklisted"] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/**
 * Whether the funds of a new order in such a token could not leave the escrow in full. If only the off-ramp is
 * blacklisted, withdraw and refund still work.
 */
export const trapsOrders = (restriction: Restriction): boolean => restriction !== "off_ramp_blacklisted";

export type TokenState = {
  currency: Currency;
  token: Address;
  /** Whether the escrow accepts new orders in this token. */
  listed: boolean;
  restrictions: Restriction[];
};

export type WatchedAccounts = {
  contract: Address;
  offRamp: Address;
  tokens: Tokens;
};

const issuerAbi = parseAbi([
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)",
  "function isBlackListed(address account) view returns (bool)",
  "function basisPointsRate() view returns (uint256)",
  "function maximumFee() view returns (uint256)",
]);

/** The last call is to the escrow itself: its result proves that the calls before it were executed. */
const questionsAbout = (token: Address, { contract, offRamp }: WatchedAccounts) =>
  [
    { address: token, abi: issuerAbi, functionName: "paused" },
    { address: token, abi: issuerAbi, functionName: "isBlacklisted", args: [contract] },
    { address: token, abi: issuerAbi, functionName: "isBlackListed", args: [contract] },
    { address: token, abi: issuerAbi, functionName: "isBlacklisted", args: [offRamp] },
    { address: token, abi: issuerAbi, functionName: "isBlackListed", args: [offRamp] },
    { address: token, abi: issuerAbi, functionName: "basisPointsRate" },
    { address: token, abi: issuerAbi, functionName: "maximumFee" },
    { address: contract, abi: deliveryVsPaymentAbi, functionName: "isTokenListed", args: [token] },
  ] as const;

/** An answer is undefined if the token has no such function. */
type Answers = readonly (boolean | bigint | undefined)[];

function findRestrictions([
  paused,
  escrow,
  escrowOfTether,
  offRamp,
  offRampOfTether,
  rate,
  maximum,
]: Answers): Restriction[] {
  const holds: Record<Restriction, boolean> = {
    paused: paused === true,
    escrow_blacklisted: escrow === true || escrowOfTether === true,
    fee: rate !== undefined && rate !== 0n && maximum !== 0n,
    off_ramp_blacklisted: offRamp === true || offRampOfTether === true,
  };
  return RESTRICTIONS.filter((restriction) => holds[restriction]);
}

/**
 * Reads every token in one `eth_call`, so that a new block costs one request.
 * @param blockNumber defaults to the latest block
 * @throws ServiceError 503 if the node does not respond. A missing token function is not an error
 */
export async function readTokenStates(
  client: ChainClient,
  watched: WatchedAccounts,
  blockNumber?: bigint,
): Promise<TokenState[]> {
  const currencies = Object.keys(watched.tokens);
  const questions = currencies.map((currency) =>
    questionsAbout(requireToken(watched.tokens, currency), watched),
  );
  const results = await client.multicall({
    contracts: questions.flat(),
    // The multicall code is sent with the call, so that the network does not need a multicall contract.
    deployless: true,
    batchSize: 0,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  });
  return currencies.map((currency, index) => {
    const asked = questions[index]?.length ?? 0;
    const answers = results.slice(index * asked, (index + 1) * asked);
    const listed = answers.at(-1);
    if (listed?.status !== "success") {
      throw serviceUnavailable("The blockchain node cannot be queried.", listed?.error);
    }
    return {
      currency,
      token: requireToken(watched.tokens, currency),
      listed: listed.result === true,
      restrictions: findRestrictions(answers.map(({ result }) => result)),
    };
  });
}
