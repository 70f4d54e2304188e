// The service computes the same order ids and the same EIP-712 domain as the deployed contract.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type Hex, keccak256, toHex, zeroAddress } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { orderIdOf, RELEASE_TYPES, type Terms } from "#core/chain/terms.ts";
import { deliveryVsPaymentTypedData } from "#core/chain/typed-data.ts";
import { toIntentId } from "#core/ids.ts";
import { MAX_AMOUNT } from "#core/money.ts";
import { createChainClient, type LocalChain } from "../api/support/payments.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";

const SEED = process.env.TEST_SEED ?? crypto.randomUUID();
const MAX_UINT40 = 2 ** 40 - 1;

let stack: SharedStack;
let chain: LocalChain;

beforeAll(async () => {
  stack = await sharedStack();
  chain = createChainClient(stack.rpcUrl);
});
afterAll(() => stack?.stop());

/** Returns pseudorandom terms that depend only on the seed. */
function termsFrom(seed: string): Terms {
  const hash = (name: string): Hex => keccak256(toHex(`${seed}.${name}`));
  const address = (name: string) => hash(name).slice(0, 42) as `0x${string}`;
  const number = (name: string) => Number(BigInt(hash(name)) % BigInt(MAX_UINT40));
  return {
    salt: hash("salt"),
    operator: address("operator"),
    arbiter: address("arbiter"),
    deliveryOracle: address("deliveryOracle"),
    payee: address("payee"),
    payer: address("payer"),
    offRamp: address("offRamp"),
    token: address("token"),
    amount: BigInt(hash("amount")) % MAX_AMOUNT,
    fundingDeadline: number("fundingDeadline"),
    deliveryPeriod: number("deliveryPeriod"),
    disputeWindow: number("disputeWindow"),
    timeLockUntil: number("timeLockUntil"),
    releaseType: number("releaseType") % RELEASE_TYPES.length,
    autoReleaseOnProof: number("autoReleaseOnProof") % 2 === 1,
    expectedDeliveryHash: hash("expectedDeliveryHash"),
  };
}

const onChain = (terms: Terms): Promise<Hex> =>
  chain.readContract({
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName: "orderIdOf",
    args: [terms],
  });

const zero: Terms = {
  ...termsFrom("zero"),
  deliveryOracle: zeroAddress,
  amount: 0n,
  fundingDeadline: 0,
  deliveryPeriod: 0,
  disputeWindow: 0,
  timeLockUntil: 0,
  releaseType: 0,
  autoReleaseOnProof: false,
};
const largest: Terms = {
  ...termsFrom("largest"),
  amount: MAX_AMOUNT,
  fundingDeadline: MAX_UINT40,
  deliveryPeriod: MAX_UINT40,
  disputeWindow: MAX_UINT40,
  timeLockUntil: MAX_UINT40,
  releaseType: RELEASE_TYPES.length - 1,
  autoReleaseOnProof: true,
};

describe("the deployed contract and the service agree", () => {
  it(`on an order's id, for the smallest, the largest and random terms (TEST_SEED=${SEED})`, async () => {
    const cases = [zero, largest, ...Array.from({ length: 50 }, (_, i) => termsFrom(`${SEED}.${i}`))];
    for (const terms of cases) {
      const { contractAddress, chainId } = stack;
      expect(await onChain(terms)).to.equal(orderIdOf(chainId, contractAddress, terms));
    }
  });

  it("on the EIP-712 domain of the data that a payer signs", async () => {
    const [, name, version, chainId, verifyingContract] = await chain.readContract({
      address: stack.contractAddress,
      abi: deliveryVsPaymentAbi,
      functionName: "eip712Domain",
    });
    const id = toIntentId(orderIdOf(stack.chainId, stack.contractAddress, largest));
    const { domain } = deliveryVsPaymentTypedData(stack.chainId, stack.contractAddress, id, largest);
    expect(domain).to.deep.equal({ name, version, chainId: Number(chainId), verifyingContract });
  });
});
