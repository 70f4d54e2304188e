import { describe, it } from "bun:test";
import { expect } from "chai";
import type { IntentView } from "#core/intent/read-intent.ts";
import { nextObservation } from "./observe.ts";

const DEADLINE = 1_000;

/**
 * A payment without an order and with a confirmation time of one minute, read when the chain's clock shows `timestamp`.
 */
const unfunded = (funding: "none" | "failed", status: string, timestamp: number) =>
  ({
    order: null,
    head: { block: 10, timestamp },
    facts: { funding, fundingDeadline: DEADLINE, confirmationTime: 60, confirmations: 5 },
    status,
    relaying: false,
    orphaned: false,
  }) as unknown as IntentView;

describe("an unfunded payment", () => {
  it("is observed again when its deadline is confirmed", () => {
    const next = nextObservation(unfunded("none", "INITIATED", 900));
    expect(next).to.deep.equal({ clock: "time", due: 1_061 });
  });

  it("whose funding failed is not observed forever once its deadline has passed", () => {
    expect(nextObservation(unfunded("failed", "REQUIRES_ACTION", 1_061))).to.equal("done");
    expect(nextObservation(unfunded("failed", "REQUIRES_ACTION", 5_000))).to.equal("done");
  });
});
