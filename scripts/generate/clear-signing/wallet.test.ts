// Tests how a wallet displays the published ERC-7730 files, with Sourcify's implementation of the standard.
import { describe, it } from "bun:test";
import { type Descriptor, format, formatTypedData, isFieldGroup } from "@ethereum-sourcify/clear-signing";
import { expect } from "chai";
import {
  type AbiFunction,
  type AbiParameter,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiItem,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { deliveryVsPaymentTypedData, EIP712_DOMAIN, paymentIntentTypedData } from "#core/chain/typed-data.ts";
import { toIntentId } from "#core/ids.ts";
import { orderMessage } from "#test/support/order-messages.ts";
import { calls, chainId, contract, messages, payer, terms } from "./published.ts";
import type { DescriptorFile } from "./schema.ts";

const TOKEN = { name: "USD Coin", symbol: "USDC", decimals: 6 };
const deployments = [{ chainId, address: contract as string }];

/** Returns the file as it will be after the contract is deployed. */
const deployed = (file: DescriptorFile): DescriptorFile => {
  const { $id } = file.context;
  const context = file.context.contract
    ? { $id, contract: { deployments } }
    : { $id, eip712: { domain: { name: "DeliveryVsPayment", version: "1" }, deployments } };
  return { ...file, context };
};

/** A wallet that knows the token and uses this file for the contract. */
function walletWith(file: DescriptorFile) {
  const key = `eip155:${chainId}:${contract.toLowerCase()}`;
  const messageTypes = Object.keys(file.display.formats).map((type) => [
    type.slice(0, type.indexOf("(")),
    [{ path: "file.json", encodeTypeHashes: [keccak256(stringToHex(type))] }],
  ]);
  const index = {
    calldataIndex: { [key]: "file.json" },
    typedDataIndex: { [key]: Object.fromEntries(messageTypes) },
  };
  return {
    externalDataProvider: {
      resolveToken: async (_: number, address: string) =>
        address.toLowerCase() === terms.token.toLowerCase() ? TOKEN : null,
    },
    descriptorResolverOptions: {
      type: "custom" as const,
      resolver: { index, fetchDescriptor: async () => structuredClone(file) as unknown as Descriptor },
    },
  };
}

/** Returns the labels and values that the wallet displays. */
function linesOf({ fields = [] }: Awaited<ReturnType<typeof format>>): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => {
      if (isFieldGroup(field)) throw new Error("The files have no groups.");
      return [field.label, field.value];
    }),
  );
}

const show = async (data: Hex, file = deployed(calls)) =>
  format({ chainId, to: contract, data, from: payer }, walletWith(file));

/** Returns an example value of the parameter's type, or the test order's terms if the parameter is `terms`. */
function exampleOf({ type, name }: AbiParameter): unknown {
  if (name === "terms") return terms;
  if (type === "address") return name === "token" ? terms.token : payer;
  if (type === "bool") return true;
  if (type === "string") return "a text";
  if (type === "bytes") return "0x1234";
  return type === "bytes32" ? keccak256("0x") : 3600n;
}

/** Returns the name of each call or message, and its key in the file. */
const named = ({ display }: DescriptorFile) =>
  Object.keys(display.formats).map((key): [string, string] => [key.slice(0, key.indexOf("(")), key]);

describe("a wallet with the ERC-7730 file of calls", () => {
  it("shows a payer what an order is, and who can do what with its funds", async () => {
    const locked = { ...terms, payer, timeLockUntil: 1_801_000_000, releaseType: 1 };
    const data = (args: readonly [typeof terms]) =>
      encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName: "createOrder", args });
    const screen = await show(data([terms]));
    expect(screen.intent).to.equal("Pay into escrow");
    expect(screen.interpolatedIntent).to.equal(`Pay 123.456789 USDC into escrow for ${terms.payee}`);
    expect(linesOf(screen)).to.deep.equal({
      "Order amount": "123.456789 USDC",
      Token: terms.token,
      Merchant: terms.payee,
      Release: "On delivery proof, by payer or operator",
      "Released by the delivery proof": "true",
      "Delivery period": "720:00:00",
      "Shortest dispute window": "24:00:00",
      Arbiter: terms.arbiter,
      Operator: terms.operator,
      "Off-ramp": terms.offRamp,
      "Funding deadline": "2027-01-22 08:00:00Z",
    });
    expect(linesOf(await show(data([locked])))).to.include({
      Payer: payer,
      Release: "After a time lock",
      "Locked until": "2027-01-26 21:46:40Z",
    });
  });

  it.each(named(calls))("shows every call with its values: %s", async (_, key) => {
    const item = parseAbiItem(`function ${key}` as string) as AbiFunction;
    const args = item.inputs.map(exampleOf);
    const screen = await show(encodeFunctionData({ abi: [item], args }));
    const expected = calls.display.formats[key];
    expect(screen.intent).to.equal(expected?.intent);
    expect(screen.rawCalldataFallback).to.equal(undefined);
    const problems = (screen.warnings ?? []).filter(({ code }) => code !== "UNKNOWN_ADDRESS");
    expect(problems).to.deep.equal([]);
    expect(screen.interpolatedIntent === undefined).to.equal(expected?.interpolatedIntent === undefined);
    const labels = expected?.fields.filter(({ visible }) => visible === undefined).map(({ label }) => label);
    expect(Object.keys(linesOf(screen))).to.include.members(labels ?? []);
  });

  it("does not apply the file to other contracts", async () => {
    const data = encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName: "release", args: [terms] });
    const other = deployed(calls);
    const { warnings, intent } = await show(data, {
      ...other,
      context: { ...other.context, contract: { deployments: [] } },
    });
    expect([intent, warnings?.[0]?.code]).to.deep.equal([undefined, "DEPLOYMENT_MISMATCH"]);
  });
});

describe("a wallet with the ERC-7730 file of messages", () => {
  const sign = (data: object) =>
    formatTypedData({ account: payer, ...data } as never, walletWith(deployed(messages)));
  const intentId = toIntentId(keccak256("0x"));

  it("shows a payer the payment that the page asks to sign", async () => {
    const screen = await sign(deliveryVsPaymentTypedData(chainId, contract, intentId, terms));
    expect(screen.interpolatedIntent).to.equal(`Pay 123.456789 USDC into escrow for ${terms.payee}`);
    expect(linesOf(screen)).to.deep.equal({
      Amount: "123.456789 USDC",
      Token: terms.token,
      Merchant: terms.payee,
      "Payment intent": intentId,
      "Funding deadline": "2027-01-22 08:00:00Z",
    });
    const withPayer = await sign(deliveryVsPaymentTypedData(chainId, contract, intentId, terms, payer));
    expect(linesOf(withPayer)).to.include({ Payer: payer });
  });

  it("shows an amount without a token in raw units, and says so", async () => {
    const screen = await sign(paymentIntentTypedData(chainId, contract, intentId, terms));
    expect(screen.intent).to.equal("Pay a merchant immediately");
    expect(linesOf(screen)).to.include({ "Amount in the token's smallest unit": "123456789" });
  });

  it("identifies the funded order to its signers, with every amount in the token's unit", async () => {
    const payment = deliveryVsPaymentTypedData(chainId, contract, intentId, terms);
    const release = await sign(orderMessage(payment, "MilestoneRelease", { cumulativeAmount: "50000000" }));
    const order = `the 123.456789 USDC order of ${terms.payee}`;
    expect(release.interpolatedIntent).to.equal(`Release 50 USDC in total of ${order} to the merchant`);
    expect(linesOf(release)).to.deep.equal({
      "Order amount": "123.456789 USDC",
      Token: terms.token,
      Merchant: terms.payee,
      "Payment intent": intentId,
      "Released in total": "50 USDC",
    });
    const agreement = { raisedBy: "payer", payeeAmount: "1500000", deadline: terms.fundingDeadline };
    expect(linesOf(await sign(orderMessage(payment, "DisputeAgreement", agreement)))).to.include({
      "Payment intent": intentId,
      "Dispute raised by": "payer",
      "For the merchant, at most the remainder": "1.5 USDC",
    });
  });

  it("does not apply the file to other contracts, even with the same domain name", async () => {
    const { $id, eip712 } = deployed(messages).context;
    const elsewhere = {
      ...messages,
      context: { $id, eip712: { domain: { ...eip712?.domain }, deployments: [] } },
    };
    const { warnings, intent } = await formatTypedData(
      { account: payer, ...deliveryVsPaymentTypedData(chainId, contract, intentId, terms) } as never,
      walletWith(elsewhere as DescriptorFile),
    );
    expect([intent, warnings?.[0]?.code]).to.deep.equal([undefined, "DOMAIN_MISMATCH"]);
  });

  it.each(named(messages))("shows every message with its values: %s", async (_, key) => {
    const [primaryType = "", members = ""] = key.slice(0, -1).split("(");
    const types = members.split(",").map((member) => {
      const [type = "", name = ""] = member.split(" ");
      return { type, name };
    });
    const values = { address: terms.token, bytes32: zeroHash, string: "a text", uint256: "1" };
    const message = Object.fromEntries(
      types.map(({ type, name }) => [name, values[type as keyof typeof values]]),
    );
    const screen = await sign({
      types: { EIP712Domain: EIP712_DOMAIN, [primaryType]: types },
      primaryType,
      domain: { name: "DeliveryVsPayment", version: "1", chainId, verifyingContract: contract },
      message: "payer" in message ? { ...message, payer: zeroAddress } : message,
    });
    const expected = messages.display.formats[key];
    expect(screen.intent).to.equal(expected?.intent);
    expect((screen.warnings ?? []).filter(({ code }) => code !== "UNKNOWN_ADDRESS")).to.deep.equal([]);
    const labels = expected?.fields.filter(({ visible }) => visible === undefined).map(({ label }) => label);
    expect(Object.keys(linesOf(screen))).to.have.members(labels ?? []);
  });
});
