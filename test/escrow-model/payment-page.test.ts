// Compares the payment page's actions, and its prediction of how a dispute ends, with the model of the contract in
// every state of an unreleased order.
import { expect, test } from "bun:test";
import { type Address as ChainAddress, zeroAddress } from "viem";
import type { Checkout } from "#web/pay/payment/checkout.ts";
import { predictEnding } from "#web/pay/payment/expired-dispute.ts";
import { nextMilestone } from "#web/pay/payment/next-milestone.ts";
import { listRights, type Right } from "#web/pay/payment/rights.ts";
import type { Verified } from "#web/pay/payment/verify.ts";
import { type Call, isRefused } from "./calls.ts";
import { apply } from "./operations/apply.ts";
import type { Order, Status } from "./order.ts";
import { type ReleaseType, type Terms, ZERO } from "./terms.ts";

const NOW = 1_800_000_000;
const OPEN = ["Created", "Shipped", "Delivered"] as const;
const NAMES = ["payer", "payee", "operator", "arbiter", "offRamp", "oracle", "stranger"];

type State = { order: Order; terms: Terms };

/** Yields the combinations that the contract can reach. For example, a lock ends before the delivery deadline. */
function* states(): Generator<State> {
  const yesAndNo = [false, true];
  for (const releaseType of ["DELIVERY_PROOF", "AUTO_RELEASE", "TIME_LOCKED", "MILESTONE_LOCKED"] as const)
    for (const deliveryOracle of [ZERO, "oracle", "payee", "payer"])
      for (const lockAhead of releaseType === "TIME_LOCKED" ? yesAndNo : [false])
        for (const late of lockAhead ? [false] : yesAndNo)
          for (const disputeSide of [null, "payer", "merchant"] as const)
            for (const bothDisputed of disputeSide === null ? [false] : yesAndNo)
              for (const resumed of disputeSide === null ? [true] : yesAndNo)
                for (const status of OPEN)
                  for (const proven of mayBeProven(releaseType, deliveryOracle, status, resumed)
                    ? yesAndNo
                    : [false])
                    for (const released of releaseType === "MILESTONE_LOCKED" ? [0n, 1_000_000n] : [0n])
                      yield {
                        terms: {
                          ...{ operator: "operator", arbiter: "arbiter", payee: "payee", payer: ZERO },
                          ...{ offRamp: "offRamp", deliveryOracle, releaseType, amount: 4_000_000n },
                          ...{ fundingDeadline: NOW, deliveryPeriod: 1_000, disputeWindow: 60 },
                          ...{ timeLockUntil: lockAhead ? NOW + 1 : NOW, autoReleaseOnProof: false },
                          expectedDeliveryHash: null,
                        },
                        order: {
                          payer: "payer",
                          status: resumed ? status : "Disputed",
                          statusBefore: status,
                          deliveryDeadline: late ? NOW - 1 : NOW + 1,
                          disputeDeadline: disputeSide === null ? 0 : NOW - 1,
                          disputes: disputeSide === null ? 0 : 1 + Number(bothDisputed),
                          disputeSide,
                          payerDisputed: disputeSide === "payer" || bothDisputed,
                          merchantDisputed: disputeSide === "merchant" || bothDisputed,
                          ...{ proven, released, refunded: 0n, settled: 0n, withdrawn: 0n, credit: 0n },
                          milestones: 0,
                        },
                      };
}

/**
 * An independent oracle's proof counts for every type, even during a dispute; the merchant's proof only for types that
 * release on proof.
 */
function mayBeProven(type: ReleaseType, oracle: string, status: Status, resumed: boolean): boolean {
  if (oracle === "oracle") return status === "Delivered" || !resumed;
  return status === "Delivered" && (type === "DELIVERY_PROOF" || type === "AUTO_RELEASE");
}

const addressOf = (name: string): ChainAddress =>
  name === ZERO ? zeroAddress : `0x${String(NAMES.indexOf(name) + 1).repeat(40)}`;

/** Converts the state to the page's format. */
function shown({ order, terms }: State): { checkout: Checkout; verified: Verified } {
  const { payee, operator, arbiter, offRamp, deliveryOracle } = terms;
  const accounts = { payee, operator, arbiter, offRamp, deliveryOracle, payer: ZERO };
  const addresses = Object.fromEntries(
    Object.entries(accounts).map(([role, name]) => [role, addressOf(name)]),
  );
  return {
    verified: {
      releaseType: terms.releaseType,
      terms: { ...terms, ...addresses },
    } as unknown as Verified,
    checkout: {
      data: {
        currency: "USDC",
        confirmations: { seen: 5, required: 5 },
        milestones: ["1.00", "2.00"].map((amount, index) => ({ index, description: null, amount })),
        order: {
          ...{ status: order.status, deliveryDeadline: order.deliveryDeadline, proven: order.proven },
          ...{
            payer: addressOf("payer"),
            disputedByPayer: order.payerDisputed,
            refunded: "0.00",
            credit: "0.00",
          },
          ...{ released: order.released === 0n ? "0.00" : "1.00", disputeDeadline: order.disputeDeadline },
          ...{
            disputeSide: order.disputeSide?.toUpperCase() ?? null,
            statusBeforeDispute: order.statusBefore,
          },
        },
      },
    } as unknown as Checkout,
  };
}

const attempt = ({ order, terms }: State, caller: string, call: Call) =>
  apply(order, call, { terms, caller, now: NOW });
const allows = (state: State, caller: string, call: Call) => !isRefused(attempt(state, caller, call));
const dispute: Call = { name: "raiseDispute", window: 60 };

test("the page offers exactly the calls that the contract accepts from the payer", () => {
  for (const state of states()) {
    const { checkout, verified } = shown(state);
    const cumulative = nextMilestone(checkout, verified)?.cumulative ?? 4_000_000n;
    const calls: [Right, Call][] = [
      ["milestone", { name: "releaseMilestone", cumulative }],
      ["release", { name: "release" }],
      ["dispute", dispute],
      ["reclaim", { name: "reclaim" }],
      ["expire", { name: "resolveExpiredDispute" }],
    ];
    const taken = calls.filter(([, call]) => allows(state, "payer", call)).map(([right]) => right);
    expect({ state, rights: listRights(checkout, verified, NOW) }).toEqual({ state, rights: taken });
  }
});

test("the page predicts the end of an undecided dispute correctly", () => {
  let compared = 0;
  for (const state of states()) {
    if (state.order.status !== "Disputed") continue;
    compared++;
    const { checkout, verified } = shown(state);
    if (!checkout.data.order) throw new Error("There is no order.");
    const [outcome, ...next] = predictEnding(checkout, checkout.data.order, verified, NOW);
    const result = attempt(state, "stranger", { name: "resolveExpiredDispute" });
    if (isRefused(result)) throw new Error(result.error);
    const after: State = { terms: state.terms, order: result.state };
    const { status } = after.order;
    const independent = state.terms.deliveryOracle === "oracle";
    if (status === "Cancelled") expect(outcome).toBe("ending.payer");
    else if (status === "AwaitingSettlement")
      expect(outcome).toBe(independent ? "ending.payeeByOracle" : "ending.payeeByMerchant");
    else
      expect(outcome).toBe(
        `ending.resumes.${independent && after.order.proven ? "Proven" : status}` as never,
      );

    const release: Call = { name: "release" };
    const payees = ["payee", "operator"].some((role) => allows(after, role, release));
    const isLock = state.terms.releaseType === "TIME_LOCKED";
    const lockOver = allows(after, "stranger", { name: "releaseTimeLocked" });
    const open = status !== "Cancelled" && status !== "AwaitingSettlement";
    const said = (key: (typeof next)[number]) => next.includes(key);
    expect({
      state,
      payees: said("ending.payeesRelease"),
      lockOver: said("ending.lockOver"),
      lock: said("ending.lock"),
      pastLock: said("ending.pastLock"),
      reclaim: said("ending.reclaim"),
      own: said("ending.ownDispute"),
    }).toEqual({
      state,
      payees,
      lockOver,
      lock: isLock && open && status !== "Created" && !lockOver,
      pastLock:
        isLock &&
        status === "Created" &&
        NOW >= state.terms.timeLockUntil &&
        !allows(after, "payer", { name: "reclaim" }),
      reclaim: allows(after, "payer", { name: "reclaim" }),
      own: allows(after, "payer", dispute),
    });
  }
  expect(compared).toBeGreaterThan(300);
});
