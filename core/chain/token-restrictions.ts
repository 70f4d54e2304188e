// What a token's own contract says against the accounts that hold it here: paused, blacklisted, with a fee. The functions are
// those of Circle's FiatToken 2.2 (USDC) and of TetherToken (USDT); a token that has none of them is unrestricted.
import { type Address, parseAbi } from "viem";
import { serviceUnavailable } from "../errors.ts";
import { CURRENCIES, type Currency } from "../money.ts";
import { deliveryVsPaymentAbi } from "./abi/delivery-vs-payment.ts";
import type { ChainClient } from "./client.ts";

export const RESTRICTIONS = ["paused", "escrow_blacklisted", "fee", "off_ramp_blacklisted"] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/** Whether a new order in such a token could not leave the escrow in full. A blocked off-ramp leaves withdraw and refund. */
export const trapsOrders = (restriction: Restriction): boolean => restriction !== "off_ramp_blacklisted";

export type TokenState = {
  currency: Currency;
  token: Address;
  /** Whether the escrow takes new orders in it. */
  listed: boolean;
  restrictions: Restriction[];
};

export type WatchedAccounts = {
  contract: Address;
  offRamp: Address;
  tokens: Record<Currency, Address>;
};

const issuerAbi = parseAbi([
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)",
  "function isBlackListed(address account) view returns (bool)",
  "function basisPointsRate() view returns (uint256)",
  "function maximumFee() view returns (uint256)",
]);

const questionsAbout = (token: Address, { contract, offRamp }: WatchedAccounts) =>
  [
    { address: token, abi: issuerAbi, functionName: "paused" },
    { address: token, abi: issuerAbi, functionName: "isBlacklisted", args: [contract] },
    { address: token, abi: issuerAbi, functionName: "isBlackListed", args: [contract] },
    { address: token, abi: issuerAbi, functionName: "isBlacklisted", args: [offRamp] },
    { address: token, abi: issuerAbi, functionName: "isBlackListed", args: [offRamp] },
    { address: token, abi: issuerAbi, functionName: "basisPointsRate" },
    { address: token, abi: issuerAbi, functionName: "maximumFee" },
    // Last: every contract call above has had its gas if this one had it too.
    { address: contract, abi: deliveryVsPaymentAbi, functionName: "isTokenListed", args: [token] },
  ] as const;

/**
 * Reads each token in one `eth_call`.
 * @param blockNumber default: the latest
 * @throws ServiceError 503 when the node does not answer. A token without such a function is no error
 */
export async function readTokenStates(
  client: ChainClient,
  watched: WatchedAccounts,
  blockNumber?: bigint,
): Promise<TokenState[]> {
  return Promise.all(
    CURRENCIES.map(async (currency) => {
      const token = watched.tokens[currency];
      const answers = await client.multicall({
        contracts: questionsAbout(token, watched),
        // The code travels with the call: no network has to have a multicall contract.
        deployless: true,
        batchSize: 0,
        ...(blockNumber === undefined ? {} : { blockNumber }),
      });
      const [paused, escrow, escrowOfUsdt, offRamp, offRampOfUsdt, rate, maximum, listed] = answers;
      // The escrow has this function: without its answer, silence says nothing about the others either.
      if (listed.status === "failure")
        throw serviceUnavailable("The blockchain cannot be asked.", listed.error);
      const holds: Record<Restriction, boolean> = {
        paused: paused.result === true,
        escrow_blacklisted: escrow.result === true || escrowOfUsdt.result === true,
        fee: (rate.result ?? 0n) > 0n && maximum.result !== 0n,
        off_ramp_blacklisted: offRamp.result === true || offRampOfUsdt.result === true,
      };
      const restrictions = RESTRICTIONS.filter((restriction) => holds[restriction]);
      return { currency, token, listed: listed.result, restrictions };
    }),
  );
}
