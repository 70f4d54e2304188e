// The chain on which gas is measured: one escrow, one plain token, one account per role. Everything that affects gas
// (keys, salts, the clock, amounts) is fixed, so that a figure changes only with the code.
import { network } from "hardhat";
import { getContract, type Hex, keccak256, parseAbi, stringToHex, zeroAddress, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { Terms } from "#core/chain/terms.ts";
import { PERMIT2 } from "../../devnet/permit2.ts";

const START = 1_900_000_000n;
export const ALLOWANCE = 10n ** 14n;

const tokenAbi = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function mint(address to, uint256 amount)",
  "function nonces(address owner) view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
]);

export type Scene = Awaited<ReturnType<typeof setScene>>;

/** Deploys the contracts, lists the token, and funds every account so that no balance starts at zero. */
export async function setScene() {
  const { viem } = await network.connect();
  const chain = await viem.getPublicClient();
  const clock = await viem.getTestClient();
  const [deployer, operator, payer, arbiter, payee] = await viem.getWalletClients();
  if (!deployer || !operator || !payer || !arbiter || !payee) throw new Error("The network has no accounts");
  const offRamp = privateKeyToAccount(keccak256(stringToHex("off-ramp"))).address;
  const client = { public: chain, wallet: deployer };
  const owner = deployer.account.address;
  const { address: escrowAddress } = await viem.deployContract("DeliveryVsPayment", [owner, PERMIT2]);
  const { address: tokenAddress } = await viem.deployContract("PlainToken");
  const escrow = getContract({ address: escrowAddress, abi: deliveryVsPaymentAbi, client });
  const token = getContract({ address: tokenAddress, abi: tokenAbi, client });
  await escrow.write.setTokenListed([token.address, true]);
  await token.write.mint([payer.account.address, 10n ** 15n]);
  await token.write.approve([escrow.address, ALLOWANCE], { account: payer.account });
  for (const receiver of [offRamp, payee.account.address]) await token.write.mint([receiver, 1n]);

  let salts = 0;
  let now = START;
  return {
    deployer,
    operator,
    payer,
    arbiter,
    payee,
    escrow,
    token,
    clock,
    chainId: await chain.getChainId(),

    terms(changes: Partial<Terms> = {}): Terms {
      return {
        salt: keccak256(stringToHex(`order ${salts++}`)),
        operator: operator.account.address,
        arbiter: arbiter.account.address,
        deliveryOracle: zeroAddress,
        payee: payee.account.address,
        payer: zeroAddress,
        offRamp,
        token: token.address,
        amount: 123_456_789n,
        fundingDeadline: Number(START) + 7 * 86_400,
        deliveryPeriod: 2_592_000,
        disputeWindow: 86_400,
        timeLockUntil: 0,
        releaseType: 0,
        autoReleaseOnProof: true,
        expectedDeliveryHash: zeroHash,
        ...changes,
      };
    },

    /** Advances the clock before the next transaction. */
    wait(seconds: bigint): void {
      now += seconds;
    },

    /** Returns a transaction's gas. Each transaction is in a separate block, one second after the previous block. */
    async gas(send: () => Promise<Hex>): Promise<number> {
      now += 1n;
      await clock.setNextBlockTimestamp({ timestamp: now });
      const receipt = await chain.getTransactionReceipt({ hash: await send() });
      if (receipt.status !== "success") throw new Error(`Transaction ${receipt.transactionHash} reverted`);
      return Number(receipt.gasUsed);
    },
  };
}
