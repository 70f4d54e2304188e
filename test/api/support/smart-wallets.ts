// Wallets that are contracts: one that answers for its owner by ERC-1271, and the code of an EIP-7702 account. They are
// compiled here: no gateway deploys them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Abi, type Address, getContractAddress, type Hex, zeroAddress } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { fund } from "#scripts/local/deploy.ts";
import { root } from "#scripts/local/paths.ts";
import { chainOf } from "./payments.ts";

type Contract = { abi: Abi; evm: { bytecode: { object: string } } };
type Output = {
  contracts?: Record<string, Record<string, Contract>>;
  errors?: { formattedMessage: string }[];
};
type Compiler = {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
};

const SOURCE = "contracts/test/support/mocks/Wallet.sol";

function compiled(name: "Wallet" | "Delegate"): { abi: Abi; bytecode: Hex } {
  const compiler = createRequire(import.meta.url)("solc") as Compiler;
  const input = {
    language: "Solidity",
    sources: { [SOURCE]: { content: readFileSync(join(root, SOURCE), "utf8") } },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const read = (path: string) => ({ contents: readFileSync(join(root, "node_modules", path), "utf8") });
  const output = JSON.parse(compiler.compile(JSON.stringify(input), { import: read })) as Output;
  const contract = output.contracts?.[SOURCE]?.[name];
  if (!contract) throw new Error(output.errors?.map((error) => error.formattedMessage).join("\n"));
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
}

async function deploy(
  rpcUrl: string,
  name: "Wallet" | "Delegate",
  args: readonly Address[],
): Promise<Address> {
  const chain = chainOf(rpcUrl);
  const deployer = privateKeyToAccount(generatePrivateKey());
  await fund(rpcUrl, [deployer.address]);
  const { abi, bytecode } = compiled(name);
  const hash = await chain.deployContract({ account: deployer, abi, bytecode, args });
  await chain.waitForTransactionReceipt({ hash });
  return getContractAddress({ from: deployer.address, nonce: 0n });
}

/** A contract that stands by what its owner's key signed. */
export const smartWalletOf = (rpcUrl: string, owner: PrivateKeyAccount): Promise<Address> =>
  deploy(rpcUrl, "Wallet", [owner.address]);

/** Makes an account run code that knows nothing of signatures (EIP-7702). */
export async function delegate(rpcUrl: string, account: PrivateKeyAccount): Promise<Address> {
  const chain = chainOf(rpcUrl);
  const code = await deploy(rpcUrl, "Delegate", []);
  await fund(rpcUrl, [account.address]);
  const authorization = await chain.signAuthorization({ account, contractAddress: code, executor: "self" });
  const hash = await chain.sendTransaction({
    account,
    // The code takes no plain calls; the authorization counts whomever the transaction is sent to.
    to: zeroAddress,
    authorizationList: [authorization],
  });
  await chain.waitForTransactionReceipt({ hash });
  return code;
}
