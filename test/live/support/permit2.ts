// Deploys Permit2 at the same address as on every public chain.
import { getContractAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { PERMIT2 } from "#scripts/devnet/permit2.ts";
import { compileMock } from "#test/support/compile-mock.ts";
import type { LiveNetwork } from "./two-networks.ts";

/** Must run before the first request to the gateway, which caches whether a chain has Permit2. */
export async function placePermit2({ client, give }: LiveNetwork): Promise<void> {
  const deployer = privateKeyToAccount(generatePrivateKey());
  await give(deployer, 0n);
  const { abi, bytecode } = compileMock("Permit2Double.sol", "Permit2Double");
  const hash = await client.deployContract({ account: deployer, abi, bytecode });
  await client.waitForTransactionReceipt({ hash });
  const address = getContractAddress({ from: deployer.address, nonce: 0n });
  const code = (await client.getCode({ address })) as Hex;
  await client.setCode({ address: PERMIT2, bytecode: code });
}
