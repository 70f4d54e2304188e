// Test tokens at fixed addresses, for trying a deployment on a development node. Anybody can mint them: a real network never gets
// them.
import { concat, getCreate2Address, type Hex, zeroHash } from "viem";
import { CURRENCIES, CURRENCY_DECIMALS, type Currency } from "#core/money.ts";
import type { Compiled } from "../local/compiled.ts";
import { UserError } from "../local/errors.ts";
import { DETERMINISTIC_DEPLOYER } from "./deterministic-deployer.ts";
import type { Node } from "./node.ts";
import type { NamedToken } from "./settings.ts";

export type TestToken = NamedToken & { deployData: Hex };

export function buildTestTokens({ contracts }: Compiled): Record<Currency, TestToken> {
  const tokens = CURRENCIES.map((currency) => {
    const bytecode = contracts[`tokens/${currency}`]?.bytecode;
    if (!bytecode) throw new Error(`scripts/local/compiled.json has no test ${currency}.`);
    const address = getCreate2Address({ from: DETERMINISTIC_DEPLOYER, salt: zeroHash, bytecode });
    const deployData = concat([zeroHash, bytecode]);
    return [currency, { address, deployData, symbol: currency, decimals: CURRENCY_DECIMALS[currency] }];
  });
  return Object.fromEntries(tokens) as Record<Currency, TestToken>;
}

/** @throws UserError where the tokens could be taken for real ones */
export async function requireDevelopmentNode({ reader }: Node): Promise<void> {
  const version = await reader.request({ method: "web3_clientVersion" });
  if (/^(anvil|hardhat)/i.test(version)) return;
  throw new UserError(
    `The settings name test tokens, which anybody can mint: they are for anvil and Hardhat alone. The node is ${version}.`,
  );
}
