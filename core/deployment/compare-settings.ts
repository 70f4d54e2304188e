// Verifies on chain the settings that determine where money goes: the identity of the chain, and the contracts at the
// addresses of the escrow and of the tokens.
import { type Address, BaseError, erc20Abi, type Hex } from "viem";
import { deliveryVsPaymentAbi } from "../chain/abi/delivery-vs-payment.ts";
import { type ChainClient, callIfSupported, loadGenesisHash } from "../chain/client.ts";
import { requireToken, type Tokens, type TokenUnit, type TokenUnits } from "../config/token-config.ts";
import { serviceUnavailable } from "../errors.ts";
import type { Currency } from "../money.ts";

/** The settings that determine where a payment's money goes. */
export type MoneySettings = {
  chainId: number;
  genesisHash: Hex;
  contract: Address;
  tokens: Tokens;
  units: TokenUnits;
};

export type Comparison = {
  /** Sentences that each name the value of a setting and the value on chain. */
  differences: string[];
  /**
   * Currencies whose tokens the contract does not accept for new orders. The contract's owner may change this at any
   * time.
   */
  unlisted: Currency[];
};

/** Longer symbols are truncated, because a contract may return any text. */
const SHOWN_SYMBOL = 40;

async function readToken(client: ChainClient, contract: Address, token: Address) {
  const erc20 = { address: token, abi: erc20Abi } as const;
  const escrow = { address: contract, abi: deliveryVsPaymentAbi } as const;
  const [code, decimals, symbol, listed] = await Promise.all([
    client.getCode({ address: token }),
    callIfSupported(() => client.readContract({ ...erc20, functionName: "decimals" })),
    callIfSupported(() => client.readContract({ ...erc20, functionName: "symbol" })),
    callIfSupported(() => client.readContract({ ...escrow, functionName: "isTokenListed", args: [token] })),
  ]);
  return { code, decimals, symbol, listed };
}

type TokenOnChain = Awaited<ReturnType<typeof readToken>>;

function* findTokenDifferences(
  currency: Currency,
  token: Address,
  unit: TokenUnit | undefined,
  onChain: TokenOnChain,
) {
  const { code, decimals, symbol } = onChain;
  const named = `TOKENS lists ${token} for ${currency}`;
  if (code === undefined) {
    yield `${named}, but there is no code at that address.`;
    return;
  }
  if (decimals !== unit?.decimals) {
    yield `${named} with ${unit?.decimals} decimals, but the contract has ${decimals ?? "none"}.`;
  }
  // On some chains, the issuer's symbol differs in letter case, such as USDt.
  if (symbol?.toUpperCase() !== unit?.symbol.toUpperCase()) {
    const shown = symbol === undefined ? "missing" : JSON.stringify(symbol.slice(0, SHOWN_SYMBOL));
    yield `${named}, but the contract's symbol is ${shown}.`;
  }
}

function* findContractDifferences(contract: Address, code: Hex | undefined, tokens: TokenOnChain[]) {
  if (code === undefined) yield `CONTRACT_ADDRESS is ${contract}, but there is no code at that address.`;
  else if (tokens.some(({ listed }) => listed === undefined)) {
    yield `CONTRACT_ADDRESS is ${contract}, but that contract is not the escrow: it has no token list.`;
  }
}

/** If two currencies shared a token, a payment in one of them would be counted in the other's unit. */
function* findSharedTokens(tokens: Tokens) {
  const groups = Map.groupBy(Object.entries(tokens), ([, token]) => token.toLowerCase());
  for (const [token, named] of groups) {
    if (named.length > 1)
      yield `TOKENS lists ${token} more than once: for ${named.map(([c]) => c).join(" and ")}.`;
  }
}

async function compare(client: ChainClient, settings: MoneySettings): Promise<Comparison> {
  const { contract, units } = settings;
  const currencies = Object.keys(settings.tokens);
  const tokenFor = (currency: Currency) => requireToken(settings.tokens, currency);
  const [chainId, genesisHash, code, tokens] = await Promise.all([
    client.getChainId(),
    loadGenesisHash(client),
    client.getCode({ address: contract }),
    Promise.all(currencies.map((currency) => readToken(client, contract, tokenFor(currency)))),
  ]);
  if (chainId !== settings.chainId || genesisHash !== settings.genesisHash) {
    // On another chain, the other comparisons are meaningless.
    const difference =
      `CHAIN_ID is ${settings.chainId} with genesis ${settings.genesisHash}, but ` +
      `the node is on chain ${chainId} with genesis ${genesisHash}.`;
    return { differences: [difference], unlisted: [] };
  }
  const ofTokens = currencies.flatMap((currency, i) => [
    ...findTokenDifferences(currency, tokenFor(currency), units[currency], tokens[i] as TokenOnChain),
  ]);
  return {
    differences: [
      ...findContractDifferences(contract, code, tokens),
      ...findSharedTokens(settings.tokens),
      ...ofTokens,
    ],
    unlisted: currencies.filter((_, i) => tokens[i]?.listed === false),
  };
}

/** @throws ServiceError 503 if the node does not respond */
export async function compareSettings(client: ChainClient, settings: MoneySettings): Promise<Comparison> {
  try {
    return await compare(client, settings);
  } catch (error) {
    if (error instanceof BaseError) throw serviceUnavailable("The blockchain node cannot be queried.", error);
    throw error;
  }
}
