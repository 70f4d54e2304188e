// Compares the typed data that the gateway shows to payers with the contract's test vectors (TypedData.t.sol).
import { describe, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  type Address,
  type Hex,
  hashStruct,
  hashTypedData,
  recoverTypedDataAddress,
  type TypedDataDefinition,
  zeroAddress,
} from "viem";
import { toIntentId } from "../ids.ts";
import { orderIdOf, RELEASE_TYPES, restoreTerms, type StoredTerms } from "./terms.ts";
import { deliveryVsPaymentTypedData, type PayerTypedData, paymentIntentTypedData } from "./typed-data.ts";

interface Vectors {
  chainId: number;
  contract: Address;
  payer: Address;
  orders: Record<string, Vector>;
}

interface Vector {
  terms: StoredTerms;
  orderId: Hex;
  intentId: string;
  structHashes: Record<string, Hex>;
  digests: Record<string, Hex>;
  signatures: Record<string, Hex>;
}

const file = join(import.meta.dirname, "../../contracts/test/vectors/typed-data.json");
const { chainId, contract, payer, orders }: Vectors = JSON.parse(readFileSync(file, "utf8"));
const asReceived = (data: PayerTypedData): TypedDataDefinition => JSON.parse(JSON.stringify(data));

describe.each(Object.entries(orders))("the vectors' order %s", (_, { terms: stored, ...expected }) => {
  const terms = restoreTerms(stored);
  const intentId = toIntentId(orderIdOf(chainId, contract, terms));
  const shown: Record<string, PayerTypedData> = {
    paymentNamed: deliveryVsPaymentTypedData(chainId, contract, intentId, terms, payer),
    paymentUnnamed: deliveryVsPaymentTypedData(chainId, contract, intentId, terms, zeroAddress),
    paymentIntent: paymentIntentTypedData(chainId, contract, intentId, terms),
  };

  it("has the id that the contract computes", () => {
    expect(orderIdOf(chainId, contract, terms)).to.equal(expected.orderId);
    expect(intentId).to.equal(expected.intentId);
  });

  it.each(Object.keys(shown))("is hashed as in the contract: %s", (name) => {
    const data = asReceived(shown[name] as PayerTypedData);
    const structHash = hashStruct({ ...data, data: data.message } as never);
    expect(structHash).to.equal(expected.structHashes[name]);
    expect(hashTypedData(data)).to.equal(expected.digests[name]);
  });

  it.each(Object.keys(shown))("has valid payer signatures: %s", async (name) => {
    const signature = expected.signatures[name] as Hex;
    const data = asReceived(shown[name] as PayerTypedData);
    expect(await recoverTypedDataAddress({ ...data, signature })).to.equal(payer);
  });
});

it("the vectors include an order of each release type", () => {
  const types = Object.values(orders).map(({ terms }) => RELEASE_TYPES[terms.releaseType]);
  expect([...new Set(types)]).to.have.members([...RELEASE_TYPES]);
});
