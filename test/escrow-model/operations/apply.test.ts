// Cases that the search does not cover: funding, submitted signatures, and receivers that a token rejects.
import { describe, expect, test } from "bun:test";
import { type Applied, type Call, type Context, isRefused } from "../calls.ts";
import type { Order } from "../order.ts";
import { FUNDED_AT, plainKind, termsWith } from "../search/scenario.ts";
import type { ReleaseType, Terms } from "../terms.ts";
import { ZERO } from "../terms.ts";
import { apply } from "./apply.ts";

const terms = (releaseType: ReleaseType, overrides: Partial<Terms> = {}): Terms => ({
  ...termsWith(plainKind(releaseType)),
  ...overrides,
});

/** An order and a sequence of calls on it. */
class Story {
  order: Order | null = null;
  now = FUNDED_AT;

  constructor(readonly terms: Terms) {}

  attempt(caller: string, call: Call, context: Partial<Context> = {}) {
    return apply(this.order, call, { terms: this.terms, caller, now: this.now, ...context });
  }

  does(caller: string, call: Call, context: Partial<Context> = {}): Applied {
    const result = this.attempt(caller, call, context);
    if (isRefused(result)) throw new Error(`${caller} ${call.name}: ${result.error}`);
    this.order = result.state;
    return result;
  }
}

const FUND: Call = { name: "createOrder", payer: "payer" };

function funded(releaseType: ReleaseType, overrides: Partial<Terms> = {}): Story {
  const story = new Story(terms(releaseType, overrides));
  story.does("payer", FUND);
  return story;
}

describe("createOrder", () => {
  test("is allowed to the payer, or to the operator with the payer's signature", () => {
    const story = new Story(terms("DELIVERY_PROOF"));
    expect(story.attempt("operator", FUND)).toEqual({ error: "CallerNotAllowed" });
    expect(story.attempt("stranger", { ...FUND, signers: ["payer"] })).toEqual({ error: "CallerNotAllowed" });
    expect(isRefused(story.attempt("operator", { ...FUND, signers: ["payer"] }))).toBe(false);
  });

  test("of an order that names its payer is rejected for everyone else", () => {
    const story = new Story(terms("DELIVERY_PROOF", { payer: "payer" }));
    const result = story.attempt("stranger", { name: "createOrder", payer: "stranger" });
    expect(result).toEqual({ error: "RoleNotAllowed" });
    expect(isRefused(story.attempt("payer", FUND))).toBe(false);
  });

  test("is rejected if there is no arbiter, or if a party is the arbiter", () => {
    for (const arbiter of [ZERO, "payer", "payee", "operator", "offRamp"])
      expect(new Story(terms("DELIVERY_PROOF", { arbiter })).attempt("payer", FUND)).toEqual({
        error: "RoleNotAllowed",
      });
  });

  test("is rejected if the lock ends after the delivery deadline, or once the funding deadline has passed", () => {
    const late = terms("TIME_LOCKED", { timeLockUntil: FUNDED_AT + 401 });
    expect(new Story(late).attempt("payer", FUND)).toEqual({ error: "OutOfRange" });
    const story = new Story(terms("DELIVERY_PROOF"));
    expect(story.attempt("payer", FUND, { now: FUNDED_AT + 1 })).toEqual({ error: "OutsideTime" });
  });
});

describe("disputes", () => {
  test("raised by the operator use up the payer's dispute only with the payer's signature", () => {
    const story = funded("DELIVERY_PROOF");
    story.does("operator", { name: "raiseDispute", window: 60 });
    expect(story.order).toMatchObject({ merchantDisputed: true, payerDisputed: false });
    story.now += 61;
    story.does("stranger", { name: "resolveExpiredDispute" });
    const signed: Call = { name: "raiseDispute", window: 60, signers: ["payer"], expiry: story.now };
    expect(story.attempt("operator", signed, { now: story.now + 1 })).toEqual({ error: "OutsideTime" });
    story.does("operator", signed);
    expect(story.order).toMatchObject({ payerDisputed: true, disputeSide: "payer" });
  });

  test("can be ended by an agreement that names them, until the agreement expires", () => {
    const story = funded("DELIVERY_PROOF");
    story.does("payee", { name: "raiseDispute", window: 60 });
    const agreement = {
      name: "resolveDisputeByAgreement",
      payeeAmount: 1n,
      dispute: 1,
      expiry: FUNDED_AT + 100,
      signers: ["payer", "payee"],
    } as const;
    expect(story.attempt("stranger", { ...agreement, signers: ["payee"] })).toEqual({
      error: "SignatureNotValid",
    });
    expect(isRefused(story.attempt("stranger", agreement))).toBe(false);
    story.now += 61;
    story.does("stranger", { name: "resolveExpiredDispute" });
    story.does("payer", { name: "raiseDispute", window: 60 });
    expect(story.attempt("stranger", agreement)).toEqual({ error: "AgreementNotForThisDispute" });
    const late = { ...agreement, dispute: 2, expiry: story.now - 1 };
    expect(story.attempt("stranger", late)).toEqual({ error: "OutsideTime" });
  });

  test("give the payee no more than the rest, and end as Cancelled if the payee gets nothing new", () => {
    const story = funded("MILESTONE_LOCKED");
    story.does("payer", { name: "releaseMilestone", cumulative: 1n });
    story.does("payee", { name: "raiseDispute", window: 60 });
    const all = story.attempt("arbiter", { name: "resolveDispute", payeeAmount: 1_000n });
    expect(all).toMatchObject({ state: { status: "AwaitingSettlement", released: 4n, refunded: 0n } });
    const nothing = story.attempt("arbiter", { name: "resolveDispute", payeeAmount: 0n });
    expect(nothing).toMatchObject({ state: { status: "Cancelled", released: 1n, refunded: 3n } });
  });
});

describe("partial refunds", () => {
  test("leave the remaining amount for the milestones, and end the order if they refund the rest", () => {
    const story = funded("MILESTONE_LOCKED");
    expect(story.attempt("payee", { name: "refund", amount: 0n })).toEqual({ error: "OutOfRange" });
    expect(story.attempt("payee", { name: "refund", amount: 5n })).toEqual({ error: "OutOfRange" });
    story.does("payee", { name: "refund", amount: 1n });
    story.does("payer", { name: "releaseMilestone", cumulative: 2n });
    expect(story.attempt("payer", { name: "releaseMilestone", cumulative: 2n })).toEqual({
      error: "OutOfRange",
    });
    expect(story.attempt("payer", { name: "releaseMilestone", cumulative: 4n })).toMatchObject({
      state: { status: "AwaitingSettlement", released: 3n, refunded: 1n },
    });
    story.does("operator", { name: "refund", amount: 1n });
    expect(story.order).toMatchObject({ status: "Cancelled", released: 2n, refunded: 2n });
  });
});

describe("funds that leave", () => {
  test("wait as a credit if the token rejects the payer, and can be claimed only for the payer", () => {
    const story = funded("DELIVERY_PROOF");
    const transferTo = (receiver: string) => (receiver === "payer" ? "keeps" : "moves");
    const refunded = story.does("payee", { name: "refund", amount: 4n }, { transferTo });
    expect(refunded).toMatchObject({ transfers: [], credits: [{ to: "payer", amount: 4n }] });
    const claim: Call = { name: "claimCredit" };
    expect(story.attempt("stranger", claim)).toEqual({ error: "NoCredit" });
    expect(story.attempt("payer", claim, { transferTo })).toEqual({ error: "TransferRefused" });
    expect(story.does("payer", claim).transfers).toEqual([{ to: "payer", amount: 4n }]);
    expect(story.attempt("payer", claim)).toEqual({ error: "NoCredit" });
  });

  test("never go to the off-ramp once the payee has withdrawn", () => {
    const story = funded("MILESTONE_LOCKED");
    story.does("payer", { name: "releaseMilestone", cumulative: 1n });
    story.does("payee", { name: "withdraw" });
    story.does("payer", { name: "releaseMilestone", cumulative: 2n });
    expect(story.attempt("operator", { name: "settle" })).toEqual({ error: "AlreadyWithdrawn" });
    expect(story.does("payee", { name: "withdraw" }).transfers).toEqual([{ to: "payee", amount: 1n }]);
  });
});
