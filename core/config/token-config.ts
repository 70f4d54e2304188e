// Parses TOKENS: the tokens of a network by displayed symbol, as JSON.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress } from "viem";
import { CURRENCY_DECIMALS, type Currency, registerCurrency } from "../money.ts";
import { ConfigError } from "./config-error.ts";

const AddressText = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });

/** A plain address is shorthand for a token on the local network's list, whose decimals are known. */
const Token = Type.Union([
  AddressText,
  Type.Object(
    {
      address: AddressText,
      /** At least 2, because bank amounts have two decimals. */
      decimals: Type.Integer({ minimum: 2, maximum: 36 }),
      /** The contract's `symbol()`. Default: the displayed symbol, in any letter case. */
      symbol: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
    },
    { additionalProperties: false },
  ),
]);
type Token = Static<typeof Token>;

const SYMBOL = /^[A-Za-z][A-Za-z0-9.]{1,11}$/;

/** A token's expected properties on chain, in addition to its address. */
export type TokenUnit = { decimals: number; symbol: string };
export type Tokens = Record<Currency, Address>;
export type TokenUnits = Record<Currency, TokenUnit>;

/** @throws Error for a currency without a configured token */
export function requireToken(tokens: Tokens, currency: Currency): Address {
  const token = tokens[currency];
  if (token === undefined) throw new Error(`TOKENS has no token for ${currency}.`);
  return token;
}

const EXAMPLE = `{"USDC":{"address":"0x…","decimals":6},"USDC.b":{"address":"0x…","decimals":18,"symbol":"USDC"}}`;

const isLocal = (currency: string): currency is keyof typeof CURRENCY_DECIMALS =>
  currency in CURRENCY_DECIMALS;

function unitFor(currency: string, token: Token): TokenUnit {
  if (typeof token !== "string" && isLocal(currency) && token.decimals !== CURRENCY_DECIMALS[currency]) {
    throw new ConfigError(
      `TOKENS/${currency}: on the payment page, ${currency} has ${CURRENCY_DECIMALS[currency]} decimals. For a token ` +
        `with ${token.decimals} decimals, use a different symbol, such as "${currency}.b".`,
    );
  }
  if (typeof token !== "string") return { decimals: token.decimals, symbol: token.symbol ?? currency };
  if (isLocal(currency)) return { decimals: CURRENCY_DECIMALS[currency], symbol: currency };
  throw new ConfigError(`TOKENS/${currency}: expected an address and decimals, such as ${EXAMPLE}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`TOKENS must be JSON such as ${EXAMPLE}.`, { cause });
  }
}

/** @throws ConfigError, which names the token */
export function readTokens(text: string): { tokens: Tokens; units: TokenUnits } {
  const given = parseJson(text);
  const named = typeof given === "object" && given !== null ? Object.entries(given) : [];
  if (named.length === 0)
    throw new ConfigError(`TOKENS must contain at least one token, such as ${EXAMPLE}.`);
  const tokens: Tokens = {} as Tokens;
  const units: TokenUnits = {} as TokenUnits;
  for (const [currency, token] of named) {
    if (!SYMBOL.test(currency))
      throw new ConfigError(`TOKENS/${currency}: the symbol must have 2 to 12 letters.`);
    if (!Value.Check(Token, token)) {
      throw new ConfigError(
        `TOKENS/${currency}: expected an address, or an address and decimals such as ${EXAMPLE}.`,
      );
    }
    const unit = unitFor(currency, token);
    tokens[currency] = getAddress(typeof token === "string" ? token : token.address);
    units[currency] = unit;
  }
  for (const [currency, { decimals }] of Object.entries(units)) registerCurrency(currency, decimals);
  return { tokens, units };
}
