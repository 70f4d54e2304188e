import { describe, it } from "bun:test";
import { expect } from "chai";
import { type Address, zeroAddress } from "viem";
import { findField, packTerms, unpackTerms } from "./pack-terms.ts";
import { orderIdOf, restoreTerms, storeTerms, type Terms } from "./terms.ts";

const CHAIN_ID = 31_337;
const CONTRACT: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const OTHER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const terms: Terms = {
  salt: `0x${"a1".repeat(32)}`,
  operator: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  arbiter: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  deliveryOracle: zeroAddress,
  payee: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  payer: zeroAddress,
  offRamp: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  token: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
  amount: 2n ** 120n - 1n,
  fundingDeadline: 1_795_856_328,
  deliveryPeriod: 2_592_000,
  disputeWindow: 86_400,
  timeLockUntil: 0,
  releaseType: 3,
  autoReleaseOnProof: true,
  expectedDeliveryHash: `0x${"00".repeat(32)}`,
};

const CHANGES: Partial<Terms>[] = [
  { salt: `0x${"a2".repeat(32)}` },
  { operator: OTHER },
  { arbiter: OTHER },
  { deliveryOracle: OTHER },
  { payee: OTHER },
  { payer: OTHER },
  { offRamp: OTHER },
  { token: OTHER },
  { amount: terms.amount - 1n },
  { fundingDeadline: terms.fundingDeadline + 1 },
  { deliveryPeriod: 1 },
  { disputeWindow: 60 },
  { timeLockUntil: 1 },
  { releaseType: 0 },
  { autoReleaseOnProof: false },
  { expectedDeliveryHash: `0x${"01".repeat(32)}` },
];

describe("an order's id", () => {
  it("is bound to every term, to the chain and to the contract", () => {
    expect(CHANGES.flatMap(Object.keys)).to.have.members(Object.keys(terms));
    const ids = [
      orderIdOf(CHAIN_ID, CONTRACT, terms),
      orderIdOf(CHAIN_ID + 1, CONTRACT, terms),
      orderIdOf(CHAIN_ID, OTHER, terms),
      ...CHANGES.map((change) => orderIdOf(CHAIN_ID, CONTRACT, { ...terms, ...change })),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("shows all 256 bits in lowercase, and does not depend on the case of addresses", () => {
    const id = orderIdOf(CHAIN_ID, CONTRACT, terms);
    expect(id).to.match(/^0x[0-9a-f]{64}$/);
    const lower = { ...terms, payee: terms.payee.toLowerCase() as Address };
    expect(orderIdOf(CHAIN_ID, CONTRACT.toLowerCase() as Address, lower)).to.equal(id);
  });
});

describe("packed terms", () => {
  it("have every field at its place, as Solidity packs them", () => {
    for (const change of [{}, ...CHANGES]) {
      const stored = storeTerms({ ...terms, ...change });
      expect(unpackTerms(packTerms(stored))).to.deep.equal(stored);
    }
    const packed = packTerms(storeTerms(terms));
    expect(packed).to.have.length(241);
    const at = (name: Parameters<typeof findField>[0]) => {
      const { start, length } = findField(name);
      return packed.subarray(start, start + length).toString("hex");
    };
    expect(at("token")).to.equal(terms.token.slice(2).toLowerCase());
    expect(at("offRamp")).to.equal(terms.offRamp.slice(2).toLowerCase());
    expect(findField("fundingDeadline"), "read by a trigger").to.include({ start: 187, length: 5 });
    expect(Number.parseInt(at("fundingDeadline"), 16)).to.equal(terms.fundingDeadline);
  });

  it("are never read from bytes of another length", () => {
    expect(() => unpackTerms(new Uint8Array(240))).to.throw("240 bytes");
  });
});

describe("stored terms", () => {
  it("survive a JSON round trip unchanged, including amounts beyond a number's precision", () => {
    expect(restoreTerms(JSON.parse(JSON.stringify(storeTerms(terms))))).to.deep.equal(terms);
  });
});
