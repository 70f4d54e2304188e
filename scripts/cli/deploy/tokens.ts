// Compares the tokens in the settings with the contracts at their addresses.
import { erc20Abi } from "viem";
import { callIfSupported } from "#core/chain/client.ts";
import type { Currency } from "#core/money.ts";
import { UserError } from "../../shared/errors.ts";
import type { Node } from "./node.ts";
import type { NamedToken } from "./settings.ts";

/** Maximum number of characters of a displayed symbol, because a contract may return any text. */
const SHOWN_SYMBOL = 40;

/** @throws UserError that lists, for each mismatching token, the value in the settings and on chain */
export async function requireTokens(node: Node, tokens: Record<Currency, NamedToken>): Promise<void> {
  const problems = await Promise.all(
    Object.entries(tokens).map(([currency, named]) => findProblems(node, currency, named)),
  );
  if (problems.flat().length > 0) throw new UserError(problems.flat().join("\n"));
}

async function findProblems({ reader }: Node, currency: Currency, named: NamedToken): Promise<string[]> {
  const token = { address: named.address, abi: erc20Abi } as const;
  const said = `The settings specify ${named.address} for ${currency}`;
  const [code, decimals, symbol] = await Promise.all([
    reader.getCode({ address: named.address }),
    callIfSupported(() => reader.readContract({ ...token, functionName: "decimals" })),
    callIfSupported(() => reader.readContract({ ...token, functionName: "symbol" })),
  ]);
  if (code === undefined) return [`${said}; that address has no code.`];
  const problems: string[] = [];
  if (decimals !== named.decimals) {
    problems.push(`${said} with ${named.decimals} decimals; that contract has ${decimals ?? "none"}.`);
  }
  if (symbol !== named.symbol) {
    const shown = symbol === undefined ? "missing" : JSON.stringify(symbol.slice(0, SHOWN_SYMBOL));
    problems.push(`${said} with the symbol ${JSON.stringify(named.symbol)}; that contract's is ${shown}.`);
  }
  return problems;
}
