import { describe, it } from "bun:test";
import { expect } from "chai";
import { TypedDataEncoder, verifyTypedData as verifyByEthers, Wallet } from "ethers";
import { type Address, hashTypedData, type TypedDataDefinition, verifyTypedData, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type IntentId, toIntentId } from "../ids.ts";
import { orderIdOf, type Terms } from "./terms.ts";
import { deliveryVsPaymentTypedData, type PayerTypedData, paymentIntentTypedData } from "./typed-data.ts";

const CHAIN_ID = 31_337;
const CONTRACT: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PAYER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const terms: Terms = {
  salt: `0x${"a1".repeat(32)}`,
  operator: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  arbiter: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  deliveryOracle: zeroAddress,
  payee: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  payer: zeroAddress,
  offRamp: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  token: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
  // Beyond the precision of a JSON number.
  amount: 123_456_789_012_345_678_901n,
  fundingDeadline: 1_795_856_328,
  deliveryPeriod: 2_592_000,
  disputeWindow: 86_400,
  timeLockUntil: 0,
  releaseType: 3,
  autoReleaseOnProof: true,
  expectedDeliveryHash: `0x${"00".repeat(32)}`,
};
const intentId: IntentId = toIntentId(orderIdOf(CHAIN_ID, CONTRACT, terms));

const SHAPES: [string, PayerTypedData][] = [
  ["DeliveryVsPayment, payer unknown", deliveryVsPaymentTypedData(CHAIN_ID, CONTRACT, intentId, terms)],
  ["DeliveryVsPayment, payer named", deliveryVsPaymentTypedData(CHAIN_ID, CONTRACT, intentId, terms, PAYER)],
  ["PaymentIntent", paymentIntentTypedData(CHAIN_ID, CONTRACT, intentId, terms)],
];

/** The client's copy, after a round trip through JSON. */
const received = (typedData: PayerTypedData): TypedDataDefinition & { types: Record<string, never[]> } =>
  JSON.parse(JSON.stringify(typedData));

/** ethers derives the domain type itself and rejects an explicit one. */
const forEthers = (typedData: PayerTypedData) => {
  const { types, domain, message } = received(typedData);
  const { EIP712Domain: _, ...own } = types;
  return [{ ...domain } as object, own, message as Record<string, unknown>] as const;
};

describe("typed data", () => {
  it.each(SHAPES)(
    "of shape %s is hashed identically by viem and ethers after a JSON round trip",
    (_, data) => {
      const hash = hashTypedData(received(data));
      expect(TypedDataEncoder.hash(...forEthers(data))).to.equal(hash);
      expect(hashTypedData(data as unknown as TypedDataDefinition)).to.equal(hash);
    },
  );

  it.each(SHAPES)("of shape %s is signed by either library and verified by the other", async (_, data) => {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    const byViem = await account.signTypedData(received(data));
    expect(verifyByEthers(...forEthers(data), byViem)).to.equal(account.address);
    const byEthers = (await new Wallet(key).signTypedData(...forEthers(data))) as `0x${string}`;
    expect(
      await verifyTypedData({ ...received(data), address: account.address, signature: byEthers }),
    ).to.equal(true);
  });

  it("has the spec's members and fields in the spec's order", () => {
    const fields = (list: readonly { name: string; type: string }[]) =>
      list.map(({ name, type }) => `${name} ${type}`);
    const [, , [, first]] = SHAPES as [unknown, unknown, [string, PayerTypedData]];
    const second = deliveryVsPaymentTypedData(CHAIN_ID, CONTRACT, intentId, terms);
    expect(fields(first.types.EIP712Domain)).to.deep.equal([
      "name string",
      "version string",
      "chainId uint256",
      "verifyingContract address",
    ]);
    expect(first.types).to.have.all.keys("EIP712Domain", "PaymentIntent");
    expect(fields(Object.values(first.types)[1] ?? [])).to.deep.equal([
      "intentId bytes32",
      "amount uint256",
      "nonce uint256",
    ]);
    expect(Object.keys(second.message)).to.deep.equal([
      "intentId",
      "payer",
      "payee",
      "amount",
      "token",
      "deadline",
    ]);
    expect(fields(second.types.DeliveryVsPayment).map((field) => field.split(" ")[0])).to.deep.equal(
      Object.keys(second.message),
    );
    expect(second.domain).to.deep.equal({
      name: "DeliveryVsPayment",
      version: "1",
      chainId: CHAIN_ID,
      verifyingContract: CONTRACT,
    });
  });

  it("binds every term: a different salt yields a different intent and hash", () => {
    const other = { ...terms, salt: `0x${"a2".repeat(32)}` } as const;
    const otherId = toIntentId(orderIdOf(CHAIN_ID, CONTRACT, other));
    const hashOf = (data: PayerTypedData) => hashTypedData(received(data));
    expect(hashOf(deliveryVsPaymentTypedData(CHAIN_ID, CONTRACT, otherId, other))).not.to.equal(
      hashOf(deliveryVsPaymentTypedData(CHAIN_ID, CONTRACT, intentId, terms)),
    );
  });
});
