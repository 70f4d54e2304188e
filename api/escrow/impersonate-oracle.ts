// Lets a test merchant act as the oracle of its order, because the local node can send transactions from any
// address (docs/decisions/0004-delivery-proofs.md).
import { type Address, createTestClient, type Hex, http, publicActions, walletActions } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { Terms } from "#core/chain/terms.ts";
import type { Services } from "../services.ts";

/** One ether in wei, enough for any number of proofs. */
const GAS_MONEY = 10n ** 18n;

/** @returns the hash of the sent transaction. @throws the contract's error */
export async function sendProofAs(
  { config, client }: Services,
  oracle: Address,
  args: readonly [terms: Terms, proofHash: Hex, proofURI: string],
): Promise<Hex> {
  if (!config.chain.simulated) throw new Error("Acting as an oracle requires a simulated chain.");
  const { request } = await client.simulateContract({
    address: config.chain.contract,
    abi: deliveryVsPaymentAbi,
    functionName: "submitDeliveryProof",
    args,
    account: oracle,
  });
  const node = createTestClient({
    mode: "hardhat",
    chain: client.chain,
    transport: http(config.chain.rpcUrl),
  })
    .extend(publicActions)
    .extend(walletActions);
  await node.impersonateAccount({ address: oracle });
  await node.setBalance({ address: oracle, value: GAS_MONEY });
  return node.writeContract(request);
}
