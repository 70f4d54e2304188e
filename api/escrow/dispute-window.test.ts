import { describe, it } from "bun:test";
import { expect } from "chai";
import { RELEASE_TYPES, type ReleaseType, type Terms } from "#core/chain/terms.ts";
import { ServiceError } from "#core/errors.ts";
import { paymentTime } from "#core/intent/payment-time.ts";
import { chooseWindow, disputeWindows } from "./dispute-window.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const LONGEST = 2_592_000;

type Case = {
  lock?: number;
  type?: ReleaseType;
  side?: "payer" | "merchant";
  shortest?: number;
  blockTime?: number;
  head?: number;
};

function windows({ lock = 0, type = "TIME_LOCKED", side = "merchant", head = NOW, ...rest }: Case) {
  const { shortest = 60, blockTime = 1 } = rest;
  const terms = {
    releaseType: RELEASE_TYPES.indexOf(type),
    timeLockUntil: lock,
    disputeWindow: shortest,
  } as Terms;
  const view = { terms, facts: { now: paymentTime({ timestamp: head }, NOW) } };
  return disputeWindows(side, view, { chain: { blockTime } });
}

function refusalOf(work: () => unknown): Partial<ServiceError> & { param?: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, message: error.message, ...error.details };
    throw error;
  }
  throw new Error("Nothing was refused.");
}

describe("the dispute window", () => {
  it("is the default if no lock is running, and for the payer's side even if one is", () => {
    const cases: Case[] = [
      { type: "DELIVERY_PROOF" },
      { lock: NOW },
      { lock: NOW - DAY },
      { lock: NOW + 3_600, side: "payer" },
      { lock: NOW + 365 * DAY },
    ];
    for (const one of cases) {
      expect(chooseWindow(undefined, windows(one)), JSON.stringify(one)).to.equal(604_800);
      expect(chooseWindow("2592000", windows(one)), JSON.stringify(one)).to.equal(LONGEST);
      const refusal = refusalOf(() => chooseWindow("2592001", windows(one)));
      expect(refusal).to.include({ code: "invalid_request", param: "disputeWindow" });
      expect(refusal.message).to.include("60 to 2592000 seconds.");
    }
  });

  it("is the minimum in the terms if that is longer than the default", () => {
    expect(chooseWindow(undefined, windows({ shortest: 8 * DAY }))).to.equal(8 * DAY);
  });

  it("of the merchant ends before a running lock does, with time for the transaction to be mined", () => {
    const locked = windows({ lock: NOW + 3_600 });
    expect(locked).to.deep.equal({ shortest: 60, longest: 3_510, suggested: 3_480, locked: true });
    expect(chooseWindow(undefined, locked)).to.equal(3_480);
    expect(chooseWindow("3510", locked)).to.equal(3_510);
    const refusal = refusalOf(() => chooseWindow(3_511, locked));
    expect(refusal).to.include({ code: "invalid_request", param: "disputeWindow" });
    expect(refusal.message)
      .to.include("60 to 3480 seconds")
      .and.include("must end 60 seconds before the time lock ends");
  });

  it("that the error suggests is still allowed half a minute later", () => {
    const { suggested } = windows({ lock: NOW + 3_600 });
    expect(chooseWindow(suggested, windows({ lock: NOW + 3_600, head: NOW + 30 }))).to.equal(suggested);
  });

  it("counts the margin in blocks if blocks are slow", () => {
    expect(windows({ lock: NOW + 3_600, blockTime: 12 }).longest).to.equal(3_600 - 60 - 180);
  });

  it("follows the local clock if the indexed head is behind, and the chain's clock if it is ahead", () => {
    expect(windows({ lock: NOW + 3_600, head: NOW - 600 }).longest).to.equal(3_510);
    expect(windows({ lock: NOW + 3_600, head: NOW + 600 }).longest).to.equal(2_910);
  });

  it("shrinks to the minimum, after which every request is rejected with invalid_status", () => {
    const last = windows({ lock: NOW + 60 + 60 + 30 });
    expect(chooseWindow(undefined, last)).to.equal(60);
    expect(refusalOf(() => chooseWindow("61", last)).message).to.include("60 to 60 seconds");
    const late = windows({ lock: NOW + 60 + 60 + 29 });
    for (const asked of [undefined, "60", "59", 604_800]) {
      const refusal = refusalOf(() => chooseWindow(asked, late));
      expect(refusal).to.include({ code: "invalid_status" }).and.not.have.property("param");
      expect(refusal.message)
        .to.include("60 seconds")
        .and.include("This limit does not apply to the payer's dispute");
    }
  });
});
