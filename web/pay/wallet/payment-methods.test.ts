// Tests which payment method is the shortest, and what happens when on-chain data cannot be read.
import { describe, expect, test } from "bun:test";
import { type Address, createClient, custom, type Hex, toFunctionSelector, toHex, zeroHash } from "viem";
import { hardhat } from "viem/chains";
import { type FundingMethod, type FundingOffer, hashFundingDomain } from "#core/chain/funding-methods.ts";
import { orderIdOf, restoreTerms } from "#core/chain/terms.ts";
import { toIntentId } from "#core/ids.ts";
import type { Verified } from "../payment/verify.ts";
import { findShortestPaymentMethod, findSigner, shortest, type Wallet } from "./payment-methods.ts";

const offered = (...methods: FundingMethod[]) => new Set(methods);
const ALL = offered("ERC_2612", "DAI_PERMIT", "ERC_3009", "PERMIT2");
const NOTHING = { amount: 100n, allowance: 0n, permit2Allowance: 0n, signer: "key" } as const;

test("an allowance that covers the amount needs only the payment's own signature, with any signer", () => {
  expect(shortest(ALL, { ...NOTHING, allowance: 100n })).toBe("ALLOWANCE");
  expect(shortest(offered(), { ...NOTHING, allowance: 100n, signer: "contract" })).toBe("ALLOWANCE");
  expect(shortest(offered(), { ...NOTHING, allowance: 100n, signer: "delegated" })).toBe("ALLOWANCE");
});

test("without an allowance the preference is one signature, two signatures, transactions", () => {
  expect(shortest(ALL, { ...NOTHING, allowance: 99n })).toBe("ERC_3009");
  const withPermit2 = { ...NOTHING, permit2Allowance: 100n };
  expect(shortest(offered("ERC_2612", "PERMIT2"), withPermit2)).toBe("PERMIT2");
  expect(shortest(offered("ERC_2612", "PERMIT2"), { ...NOTHING, permit2Allowance: 99n })).toBe("ERC_2612");
  expect(shortest(offered("DAI_PERMIT", "PERMIT2"), withPermit2)).toBe("PERMIT2");
  expect(shortest(offered("DAI_PERMIT", "PERMIT2"), NOTHING)).toBe("DAI_PERMIT");
  expect(shortest(offered("DAI_PERMIT", "ERC_2612"), NOTHING)).toBe("ERC_2612");
  expect(shortest(offered("PERMIT2"), NOTHING)).toBeUndefined();
  expect(shortest(offered(), withPermit2)).toBeUndefined();
});

test("a contract account signs for methods that support ERC-1271, and otherwise sends transactions", () => {
  const contract = { ...NOTHING, signer: "contract" } as const;
  expect(shortest(ALL, contract)).toBeUndefined();
  expect(shortest(ALL, { ...contract, permit2Allowance: 100n })).toBe("PERMIT2");
});

test("DAI's permit, which only accepts the holder's key, is for accounts without code", () => {
  for (const signer of ["contract", "delegated"] as const) {
    expect(shortest(offered("DAI_PERMIT"), { ...NOTHING, signer })).toBeUndefined();
  }
});

test("an account that runs code (EIP-7702) signs only for the escrow, because others would call its code", () => {
  expect(findSigner(undefined)).toBe("key");
  expect(findSigner("0x6080")).toBe("contract");
  expect(findSigner(`0xef0100${"11".repeat(20)}`)).toBe("delegated");
  expect(shortest(ALL, { ...NOTHING, signer: "delegated", permit2Allowance: 100n })).toBeUndefined();
});

const [PAYER, ESCROW, TOKEN, PERMIT2] = [1, 2, 3, 4].map((byte) => toHex(byte, { size: 20 })) as [
  Address,
  Address,
  Address,
  Address,
];
const CHAIN = hardhat.id;
const TOKEN_DOMAIN = { name: "Coin", version: "1", chainId: CHAIN, verifyingContract: TOKEN };

const terms = restoreTerms({
  salt: zeroHash,
  operator: PAYER,
  arbiter: PAYER,
  deliveryOracle: PAYER,
  payee: PAYER,
  payer: "0x0000000000000000000000000000000000000000",
  offRamp: PAYER,
  token: TOKEN,
  amount: "100",
  fundingDeadline: 1_800_000_000,
  deliveryPeriod: 60,
  disputeWindow: 60,
  timeLockUntil: 0,
  releaseType: 0,
  autoReleaseOnProof: false,
  expectedDeliveryHash: zeroHash,
});

const verified = {
  id: toIntentId(orderIdOf(CHAIN, ESCROW, terms)),
  chainId: CHAIN,
  contract: ESCROW,
  terms,
  releaseType: "DELIVERY_PROOF",
  typedDataFor: () => ({ primaryType: "DeliveryVsPayment" }),
} as unknown as Verified;

const offersOf = (...methods: FundingMethod[]): FundingOffer[] =>
  methods.map((method) => ({ method, domain: TOKEN_DOMAIN }));

const word = (value: bigint | Hex): Hex => toHex(BigInt(value), { size: 32 });

/** Creates a wallet whose chain returns these results by function. Other functions cannot be read. */
function walletOf(answers: Record<string, Hex>) {
  const asked: string[] = [];
  const bySelector = new Map(
    Object.entries(answers).map(([name, answer]) => [toFunctionSelector(name), answer]),
  );
  const request = async ({ method, params }: { method: string; params: [{ data: Hex }] }) => {
    if (method === "eth_getCode") return "0x";
    const selector = params[0].data.slice(0, 10) as Hex;
    asked.push(selector);
    const answer = bySelector.get(selector);
    if (answer === undefined) throw new Error("The node is away.");
    return answer;
  };
  const wallet = createClient({
    account: PAYER,
    chain: hardhat,
    transport: custom({ request } as never, { retryCount: 0 }),
  });
  const times = (name: string) => asked.filter((one) => one === toFunctionSelector(name)).length;
  return { wallet: wallet as unknown as Wallet, times };
}

const NOT_ALLOWED = { "allowance(address,address)": word(0n) };
const TOKEN_ANSWERS = {
  ...NOT_ALLOWED,
  "DOMAIN_SEPARATOR()": hashFundingDomain(TOKEN_DOMAIN),
  "nonces(address)": word(7n),
};

const methodOf = async (answers: Record<string, Hex>, ...methods: FundingMethod[]) => {
  const paymentMethod = await findShortestPaymentMethod(
    walletOf(answers).wallet,
    verified,
    offersOf(...methods),
  );
  return paymentMethod.by === "signature" ? paymentMethod.method : paymentMethod.by;
};

describe("the shortest method, read from the payer's chain", () => {
  test("reads the token once, however many of its methods are offered", async () => {
    const { wallet, times } = walletOf(TOKEN_ANSWERS);
    const paymentMethod = await findShortestPaymentMethod(wallet, verified, offersOf("ERC_3009", "ERC_2612"));
    expect(paymentMethod).toMatchObject({ by: "signature", method: "ERC_3009" });
    expect(times("DOMAIN_SEPARATOR()")).toBe(1);
  });

  test("skips a method that cannot be read and takes the next", async () => {
    const { "nonces(address)": _, ...withoutNonce } = TOKEN_ANSWERS;
    const permit2 = { "PERMIT2()": word(PERMIT2) };
    expect(await methodOf(TOKEN_ANSWERS, "PERMIT2", "ERC_2612")).toBe("ERC_2612");
    expect(await methodOf({ ...withoutNonce, ...permit2 }, "PERMIT2", "ERC_2612")).toBe("transaction");
    expect(await methodOf(NOT_ALLOWED, "ERC_3009", "PERMIT2", "ERC_2612")).toBe("transaction");
    const allowed = { "allowance(address,address)": word(100n) };
    expect(await methodOf({ ...allowed }, "ERC_3009", "PERMIT2", "ERC_2612")).toBe("ALLOWANCE");
  });

  test("does not sign under a domain that the token does not confirm", async () => {
    const other = { ...TOKEN_ANSWERS, "DOMAIN_SEPARATOR()": zeroHash };
    expect(await methodOf(other, "ERC_3009", "ERC_2612", "DAI_PERMIT")).toBe("transaction");
  });

  test("signs DAI's permit with the token's next nonce until the funding deadline, in addition to the payment", async () => {
    const paymentMethod = await findShortestPaymentMethod(
      walletOf(TOKEN_ANSWERS).wallet,
      verified,
      offersOf("DAI_PERMIT"),
    );
    expect(paymentMethod).toMatchObject({
      method: "DAI_PERMIT",
      payment: { primaryType: "DeliveryVsPayment" },
      permit: {
        domain: TOKEN_DOMAIN,
        message: { holder: PAYER, spender: ESCROW, nonce: "7", expiry: 1_800_000_000, allowed: true },
      },
    });
    const { "nonces(address)": _, ...withoutNonce } = TOKEN_ANSWERS;
    expect(await methodOf(withoutNonce, "DAI_PERMIT")).toBe("transaction");
  });

  test("is unknown when even the allowance cannot be read", async () => {
    await expect(methodOf({}, "ERC_3009")).rejects.toThrow("The node is away.");
  });
});
