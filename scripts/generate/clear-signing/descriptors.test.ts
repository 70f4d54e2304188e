// Compares the published ERC-7730 files with the ABI and the contract's EIP-712 types, and tests the
// generator.
import { describe, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { expect } from "chai";
import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type Address,
  parseAbiItem,
  toFunctionSelector,
  zeroHash,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import { deliveryVsPaymentTypedData } from "#core/chain/typed-data.ts";
import { toIntentId } from "#core/ids.ts";
import { root } from "../../shared/paths.ts";
import { describeCalls, describeMessages, readTypes } from "./descriptors.ts";
import { FOREIGN_MESSAGES, OPERATOR_CALLS } from "./formats.ts";
import { calls, chainId, contract, messages, readPublished, terms } from "./published.ts";
import { DescriptorFile } from "./schema.ts";

const solidity = readFileSync(join(root, "contracts/parts/OrderTerms.sol"), "utf8");

const writing = deliveryVsPaymentAbi.filter(
  (item) => item.type === "function" && item.stateMutability !== "view",
) as unknown as AbiFunction[];
const called = writing.filter(
  ({ name }) => !OPERATOR_CALLS.includes(name as (typeof OPERATOR_CALLS)[number]),
);

/** Parses a format's key, by which a wallet finds the format. @returns the type of each value, by path */
function typesOf(key: string): Map<string, string> {
  const leaves = (parameters: readonly AbiParameter[], prefix: string): [string, string][] =>
    parameters.flatMap((parameter) =>
      "components" in parameter
        ? leaves(parameter.components, `${prefix}${parameter.name}.`)
        : [[`${prefix}${parameter.name}`, parameter.type]],
    );
  const { inputs } = parseAbiItem(`function ${key}` as string) as AbiFunction;
  return new Map(leaves(inputs, ""));
}

const described = [calls, messages].flatMap(({ display }) =>
  Object.entries(display.formats).map(([key, format]) => ({
    name: key.slice(0, key.indexOf("(")),
    key,
    ...format,
  })),
);

/** Types that a payer signs to fund an order. The spec defines two; Permit2's message contains `Payment`. */
const PAYMENTS = /^(DeliveryVsPayment|PaymentIntent|Payment)\(/;

describe("the ERC-7730 files", () => {
  it.each([
    ["calls", calls],
    ["messages", messages],
  ])("match the schema of the standard's second version: %s", (_, file) => {
    expect([...Value.Errors(DescriptorFile, file)]).to.deep.equal([]);
  });

  it("describe each state-changing function except those for the relayer, under its selector", () => {
    const selectors = Object.keys(calls.display.formats).map((key) =>
      toFunctionSelector(parseAbiItem(`function ${key}` as string) as AbiFunction),
    );
    expect(selectors.sort()).to.deep.equal(called.map((item) => toFunctionSelector(item)).sort());
    expect(called.map(({ name }) => name)).to.include.members(
      ["createOrder", "release", "releaseMilestone", "raiseDispute", "reclaim"].concat(
        ["refund", "withdraw", "claimCredit", "resolveDispute", "resolveExpiredDispute"],
        ["markShipped", "submitDeliveryProof"],
      ),
    );
  });

  it("describe each message that the contract verifies in its own EIP-712 domain", () => {
    const own = readTypes(solidity).filter(
      (type) => !FOREIGN_MESSAGES.some((name) => type.startsWith(`${name}(`)),
    );
    expect(own).to.have.length(7);
    expect(Object.keys(messages.display.formats)).to.deep.equal(own);
    const { name, version } = deliveryVsPaymentTypedData(
      chainId,
      contract,
      toIntentId(zeroHash),
      terms,
    ).domain;
    expect(messages.context.eip712?.domain).to.deep.equal({ name, version });
  });

  it.each(readTypes(solidity).filter((type) => !PAYMENTS.test(type)))(
    "describe a message that starts with the intent's id as text, the payee, the amount and the token: %s",
    (type) => {
      expect(type).to.match(/^\w+\(string intentId,address payee,uint256 amount,address token[,)]/);
      expect(type).not.to.match(/bytes32 \w*id\b/i);
    },
  );

  it.each(described)("have one field for each value and no others: $name", ({ key, fields }) => {
    expect(fields.map(({ path }) => path).sort()).to.deep.equal([...typesOf(key).keys()].sort());
  });

  it.each(described)(
    "format amounts by token or as raw units, times as dates, periods as durations, enums by name: $name",
    ({ key, fields }) => {
      const types = typesOf(key);
      for (const { path, label, format: form, params } of fields) {
        if (/amount$/i.test(path)) {
          const tokenPath = [...types.keys()].find((name) => name.split(".").at(-1) === "token");
          if (tokenPath === undefined)
            expect([form, /smallest unit/.test(label)]).to.deep.equal(["raw", true]);
          else expect({ form, params }).to.deep.equal({ form: "tokenAmount", params: { tokenPath } });
        }
        if (/(deadline|until)$/i.test(path)) {
          expect({ form, params }).to.deep.equal({ form: "date", params: { encoding: "timestamp" } });
        }
        if (/(period|window)$/i.test(path)) expect(form).to.equal("duration");
        if (types.get(path) === "uint8") expect(form).to.equal("enum");
      }
    },
  );

  it("hide only signatures, the salt, the nonce, and terms of an order that is already funded", () => {
    const hidden = described.flatMap(({ name, fields }) =>
      fields
        .filter(
          ({ visible, path }) => visible === "never" && (name === "createOrder" || !/^terms\./.test(path)),
        )
        .map(({ path }) => path),
    );
    expect([...new Set(hidden)].sort()).to.deep.equal([
      "nonce",
      "oracleSignature",
      "payeeSignature",
      "payerSignature",
      "terms.salt",
    ]);
  });

  it("name every release type", () => {
    expect(Object.keys(calls.metadata.enums.releaseType ?? {})).to.deep.equal(
      Object.keys({ ...RELEASE_TYPES }),
    );
  });

  it("apply to exactly the published addresses", () => {
    const addresses = (readPublished("addresses.json") as { chainId: number; address: Address }[]).map(
      ({ chainId: id, address }) => ({ chainId: id, address }),
    );
    expect(calls.context.contract?.deployments).to.deep.equal(addresses);
    expect(messages.context.eip712?.deployments).to.deep.equal(addresses);
  });
});

describe("the generator of the ERC-7730 files", () => {
  const abi = deliveryVsPaymentAbi as Abi;
  const change = (edit: (item: AbiFunction) => AbiFunction): Abi =>
    abi.map((item) => (item.type === "function" && item.name === "refund" ? edit(item) : item));

  it.each([
    ["a renamed argument", (item) => ({ ...item, inputs: rename(item.inputs, "amount", "value") })],
    [
      "an additional argument",
      (item) => ({ ...item, inputs: [...item.inputs, { name: "more", type: "uint256" }] }),
    ],
    ["a renamed function", (item) => ({ ...item, name: "giveBack" })],
    [
      "an array argument",
      (item) => ({ ...item, inputs: item.inputs.map((input) => ({ ...input, type: `${input.type}[]` })) }),
    ],
  ] as [string, (item: AbiFunction) => AbiFunction][])("rejects an ABI with %s", (_, edit) => {
    expect(() => describeCalls(change(edit), [])).to.throw(/refund|giveBack|array/);
  });

  it.each([
    [
      "a renamed field",
      "Dispute(string intentId,address payee,uint256 amount,address token,string cause,uint256 window,uint256 deadline)",
      /paths of Dispute/,
    ],
    ["a message that is not described", "Refund(bytes32 orderId)", /Refund/],
    ["a nested type", "Dispute(Order order)Order(bytes32 id)", /not a flat EIP-712 type/],
  ])("rejects typed data with %s", (_, type, problem) => {
    const others = readTypes(solidity).filter(
      (other) => !other.startsWith(type.slice(0, type.indexOf("(") + 1)),
    );
    expect(() => describeMessages([...others, type], [])).to.throw(problem);
  });
});

const rename = (inputs: readonly AbiParameter[], from: string, to: string): AbiParameter[] =>
  inputs.map((input) => (input.name === from ? { ...input, name: to } : input));
