import { describe, it } from "bun:test";
import { expect } from "chai";
import { hashToUuid, payoutReference } from "./payout-reference.ts";

const deployment = {
  chainId: 31337,
  genesisHash: `0x${"11".repeat(32)}`,
  contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
} as const;
const first = { intentId: `intent_${"22".repeat(32)}`, settlementNumber: 1, part: 0, attempt: 1 } as const;

describe("a payout's reference", () => {
  it("is a version 8 UUID", () => {
    expect(hashToUuid("a name")).to.match(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it("is deterministic and does not depend on the case of the contract's address", () => {
    const once = payoutReference(deployment, first);
    expect(payoutReference(deployment, first)).to.equal(once);
    const lower = { ...deployment, contract: deployment.contract.toLowerCase() as `0x${string}` };
    expect(payoutReference(lower, first)).to.equal(once);
  });

  it("hashes the order's id and the settlement's number, and the part if it is not the first", () => {
    const place = `31337:${deployment.genesisHash}:${deployment.contract.toLowerCase()}`;
    const settlement = `0x${"22".repeat(32)}-12`;
    const numbered = { ...first, settlementNumber: 12, attempt: 3 };
    expect(payoutReference(deployment, numbered)).to.equal(hashToUuid(`${place}:${settlement}:3`));
    expect(payoutReference(deployment, { ...numbered, part: 2 })).to.equal(
      hashToUuid(`${place}:${settlement}.2:3`),
    );
  });

  it("differs for a different attempt, part, settlement, order, contract, chain or genesis", () => {
    const references = [
      payoutReference(deployment, first),
      payoutReference(deployment, { ...first, attempt: 2 }),
      payoutReference(deployment, { ...first, part: 1 }),
      payoutReference(deployment, { ...first, settlementNumber: 2 }),
      payoutReference(deployment, { ...first, intentId: `intent_${"23".repeat(32)}` }),
      payoutReference({ ...deployment, contract: `0x${"33".repeat(20)}` }, first),
      payoutReference({ ...deployment, chainId: 1 }, first),
      payoutReference({ ...deployment, genesisHash: `0x${"44".repeat(32)}` }, first),
    ];
    expect(new Set(references).size).to.equal(references.length);
  });
});
