// Test tokens at fixed addresses, for trying a deployment on a development node. Anyone can mint them, and the escrow
// can pull them without a balance (contracts/tokens/EscrowFunded.sol), so they are never deployed to a real network.
import {
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseEther,
  stringToHex,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { CURRENCIES, CURRENCY_DECIMALS, type Currency } from "#core/money.ts";
import type { Compiled } from "../../devnet/compiled.ts";
import { testTokenAbi } from "../../devnet/test-token-abi.ts";
import { UserError } from "../../shared/errors.ts";
import type { Node } from "./node.ts";
import type { Deployment, Step, TestToken } from "./step.ts";

/**
 * An account that deploys only the test tokens, so that its nonces determine their addresses. The deterministic
 * deployer cannot be used, because a test token's deployer has to set its escrow later.
 */
const account = privateKeyToAccount(keccak256(stringToHex("The account of the gateway's test tokens")));

export function buildTestTokens({ contracts }: Compiled): Record<Currency, TestToken> {
  const tokens = CURRENCIES.map((currency, nonce) => {
    const bytecode = contracts[`tokens/${currency}`]?.bytecode;
    if (!bytecode) throw new Error(`scripts/devnet/compiled.json has no test ${currency}.`);
    const address = getContractAddress({ from: account.address, nonce: BigInt(nonce) });
    return [currency, { address, bytecode, symbol: currency, decimals: CURRENCY_DECIMALS[currency] }];
  });
  return Object.fromEntries(tokens) as Record<Currency, TestToken>;
}

/** @throws UserError if the tokens could be mistaken for real ones */
export async function requireDevelopmentNode({ reader }: Node): Promise<void> {
  const version = await reader.request({ method: "web3_clientVersion" });
  if (/^(anvil|hardhat)/i.test(version)) return;
  throw new UserError(
    `The settings specify test tokens, which anyone can mint: they are only for anvil and Hardhat. The node is ${version}.`,
  );
}

/** Sets the account's balance on a development node, so that the account can pay for gas. */
async function fundAccount({ reader }: Node): Promise<void> {
  const value = `0x${parseEther("1").toString(16)}` as Hex;
  await reader.request<{ Method: string; Parameters: Hex[]; ReturnType: unknown }>({
    method: "hardhat_setBalance",
    params: [account.address, value],
  });
}

/** Returns the steps that run before the escrow is deployed. */
export function planTestTokens({ node, tokens }: Deployment): Step[] {
  return Object.entries(tokens).flatMap(([currency, token]) => {
    if (!("bytecode" in token)) return [];
    return {
      name: `Deploy a test ${currency}`,
      gas: 0n,
      isDone: async () => (await node.reader.getCode({ address: token.address })) !== undefined,
      async run() {
        await fundAccount(node);
        await node.send(account, { data: token.bytecode });
      },
    };
  });
}

/**
 * Returns the steps that run after the escrow is deployed. Payers of a test gateway need no tokens, because they are
 * minted when the escrow pulls them.
 */
export function planTestFunding({ node, tokens, escrow }: Deployment): Step[] {
  return Object.entries(tokens).flatMap(([currency, token]) => {
    if (!("bytecode" in token)) return [];
    const contract = { address: token.address, abi: testTokenAbi } as const;
    return {
      name: `Let the escrow mint test ${currency}`,
      gas: 0n,
      // A token mints only for the first escrow that was set; for a later one it is an ordinary token.
      isDone: async () =>
        (await node.reader.getCode({ address: token.address })) !== undefined &&
        (await node.reader.readContract({ ...contract, functionName: "escrow" })) !== zeroAddress,
      run: () =>
        node.send(account, {
          to: token.address,
          data: encodeFunctionData({ ...contract, functionName: "setEscrow", args: [escrow.address] }),
        }),
    };
  });
}
