import { describe, it } from "bun:test";
import { expect } from "chai";
import { hashToUuid, payoutReference } from "./payout-reference.ts";

const deployment = {
  chainId: 31337,
  genesisHash: `0x${"11".repeat(32)}`,
  contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
} as const;
const settlementId = `0x${"22".repeat(32)}-1`;
const first = { settlementId, part: 0, attempt: 1 };

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

  it("differs for a different attempt, part, settlement, contract, chain or genesis", () => {
    const references = [
      payoutReference(deployment, first),
      payoutReference(deployment, { ...first, attempt: 2 }),
      payoutReference(deployment, { ...first, part: 1 }),
      payoutReference(deployment, { ...first, settlementId: settlementId.replace(/1$/, "2") }),
      payoutReference({ ...deployment, contract: `0x${"33".repeat(20)}` }, first),
      payoutReference({ ...deployment, chainId: 1 }, first),
      payoutReference({ ...deployment, genesisHash: `0x${"44".repeat(32)}` }, first),
    ];
    expect(new Set(references).size).to.equal(references.length);
  });
});
