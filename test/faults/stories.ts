// How each payment proceeds: what its merchant, its payer and time do. Every step first checks whether it is already
// done.
import { formatAmount } from "#core/money.ts";
import { until } from "#scripts/shared/wait.ts";
import type { Intent } from "#test/api/support/client.ts";
import { HASH_A } from "#test/api/support/payments.ts";
import { orderMessage } from "#test/support/order-messages.ts";
import type { Actor } from "./actor.ts";
import { giveBack, payByHand } from "./people.ts";
import type { Story } from "./plan.ts";
import { trueTransfers } from "./truth.ts";
import { TIMEOUT_MS } from "./world.ts";

/** Maximum number of seconds for which anything waits for time. */
export const LATEST_S = 7_200;
const SOON_S = 1_800;
/**
 * A lock is also the funding deadline. It is beyond every clock jump among the faults, so that what a reorg removed can
 * be funded again.
 */
const LOCKED_S = 5_400;
/**
 * A lock that is past by any clock: an indexer that lags behind a clock jump would take a later one for a future lock.
 */
const A_DAY_S = 86_400;
const A_WEEK_S = "604800";

type Steps = {
  /** What the merchant requests, in addition to what every payment has. */
  terms?: (actor: Actor) => Promise<object>;
  /** Before the money is in the escrow. */
  before?: (actor: Actor) => Promise<void>;
  act?: (actor: Actor) => Promise<void>;
  /** When everything that waits for time has waited. */
  later?: (actor: Actor) => Promise<void>;
};

const metadata = (of: object) => ({ metadata: of });

const prove = (actor: Actor) =>
  actor.bringEscrow(
    "delivery-proof",
    { proofHash: HASH_A, submittedBy: actor.merchant.account.address },
    ({ orderStatus }) => orderStatus !== "PENDING" && orderStatus !== "SHIPPED",
  );

const ship = (actor: Actor) => actor.bringEscrow("ship", {}, ({ orderStatus }) => orderStatus !== "PENDING");

const REASON = "It is broken.";
/** Later than any run. */
const NEVER = 4_000_000_000n;

/** Raised with the merchant's key, so it counts as the merchant's. */
const dispute = (actor: Actor, disputeWindow: string) =>
  actor.bringEscrow(
    "dispute",
    { reason: REASON, raisedBy: actor.payer.address, disputeWindow },
    ({ disputeRaisedAt }) => disputeRaisedAt !== null,
  );

/** The payer's own, by the payer's signature. */
async function payersDispute(actor: Actor, disputeWindow: string): Promise<void> {
  const { data } = await actor.look();
  const values = { reason: REASON, window: BigInt(disputeWindow), deadline: NEVER };
  const payerSignature = await actor.payer.signTypedData(orderMessage(data.typedData, "Dispute", values));
  const signed = { payerSignature, signatureDeadline: NEVER.toString() };
  await actor.bringEscrow(
    "dispute",
    { reason: REASON, raisedBy: actor.payer.address, disputeWindow, ...signed },
    ({ disputeRaisedAt }) => disputeRaisedAt !== null,
  );
}

function outcomeOf({ plan }: Actor): object {
  const { payeeAmount, amount, currency } = plan;
  if (payeeAmount === amount) return { outcome: "MERCHANT_WON" };
  if (payeeAmount === 0n) return { outcome: "BUYER_WON" };
  return { outcome: "PARTIAL_REFUND", merchantAmount: formatAmount(payeeAmount, currency) };
}

async function signatures(actor: Actor): Promise<object> {
  const { payer, merchant, plan } = actor;
  const { data } = await actor.look();
  // Raised with the merchant's key.
  const values = { raisedBy: "merchant", payeeAmount: plan.payeeAmount, deadline: NEVER };
  const agreement = orderMessage(data.typedData, "DisputeAgreement", values);
  return {
    payerSignature: await payer.signTypedData(agreement),
    merchantSignature: await merchant.account.signTypedData(agreement),
    signatureDeadline: NEVER.toString(),
  };
}

const resolve = (actor: Actor, more: object = {}) =>
  actor.bringEscrow(
    "dispute/resolve",
    { ...outcomeOf(actor), ...more },
    ({ orderStatus }) => orderStatus !== "DISPUTED",
  );

const isReleased = ({ status }: { status: string }) =>
  status === "AwaitingSettlement" || status === "Completed";

const payerReleases = (actor: Actor) => actor.transact(actor.payer, "release", isReleased);

type Milestone = { id: string; data: { milestoneIndex: number; status: string } };

const milestonesOf = async (actor: Actor): Promise<Milestone[]> =>
  (await actor.read<{ data: Milestone[] }>(`${actor.id}/escrow/milestones`)).data;

async function planMilestones(actor: Actor): Promise<void> {
  for (const [milestoneIndex, part] of actor.plan.milestones.entries()) {
    const amount = formatAmount(part, actor.plan.currency);
    await actor.bring(
      `planned: milestone ${milestoneIndex}`,
      async () => (await milestonesOf(actor)).some(({ data }) => data.milestoneIndex === milestoneIndex),
      () => actor.want("escrow/milestones", { milestoneIndex, amount }),
    );
  }
}

async function completeMilestones(actor: Actor): Promise<void> {
  const completedBy = actor.merchant.account.address;
  for (const milestoneIndex of actor.plan.milestones.keys()) {
    const find = async () =>
      (await milestonesOf(actor)).find(({ data }) => data.milestoneIndex === milestoneIndex);
    await actor.bring(
      `completed: milestone ${milestoneIndex}`,
      async () => (await find())?.data.status !== "PENDING",
      async () => actor.want(`escrow/milestones/${(await find())?.id}/complete`, { completedBy }),
    );
  }
}

const lockedUntil = async (actor: Actor, seconds: number) =>
  metadata({
    releaseType: "TIME_LOCKED",
    timeLockUntil: String((await actor.world.chainTime()) + seconds),
  });

async function cancel(actor: Actor): Promise<void> {
  await actor.bring(
    "canceled",
    async () => (await actor.look()).status === "CANCELED",
    () => actor.want("cancel"),
  );
}

/** Money arrives for a canceled payment, and is refunded automatically. */
async function payLate(actor: Actor): Promise<void> {
  await actor.transact(actor.payer, "createOrder", ({ payer }) => BigInt(payer) !== 0n);
}

export const STEPS: Record<Story, Steps> = {
  auto_release: { terms: async () => ({ autoRelease: true }), act: prove },
  manual_release: {
    async act(actor) {
      await prove(actor);
      await actor.bringEscrow("release", {}, ({ releasedAt }) => releasedAt !== null);
    },
  },
  payer_release: { act: payerReleases },
  immediate: { terms: async () => ({ type: "CONDITIONAL" }) },
  time_lock_past: { terms: (actor) => lockedUntil(actor, -A_DAY_S), act: ship },
  time_lock_future: { terms: (actor) => lockedUntil(actor, LOCKED_S), act: prove },
  milestones: {
    terms: async () => ({ autoRelease: true, ...metadata({ releaseType: "MILESTONE_LOCKED" }) }),
    before: planMilestones,
    act: completeMilestones,
  },
  dispute_arbiter: {
    async act(actor) {
      await dispute(actor, A_WEEK_S);
      await resolve(actor);
    },
  },
  dispute_agreement: {
    async act(actor) {
      await dispute(actor, A_WEEK_S);
      await resolve(actor, await signatures(actor));
    },
  },
  dispute_timeout: {
    async act(actor) {
      if (actor.plan.proven) await prove(actor);
      await payersDispute(actor, "60");
    },
  },
  dispute_resumed: {
    async act(actor) {
      await prove(actor);
      await dispute(actor, "60");
    },
    async later(actor) {
      const isOver = async () => (await actor.escrow()).orderStatus !== "DISPUTED";
      await actor.bring("out of the dispute", isOver, async () => undefined);
      // A reorg may have removed the proof and mined the dispute first; then the order resumes without it.
      await prove(actor);
      await actor.bringEscrow("release", {}, ({ releasedAt }) => releasedAt !== null);
    },
  },
  partial_refund: {
    async act(actor) {
      const { amount, payeeAmount, currency } = actor.plan;
      const part = formatAmount(amount - payeeAmount, currency);
      // Includes the amounts that the merchant has read, so that a refund that was reorged and mined again is not
      // repeated.
      const known = { amount: part, refundedAmount: "0.00" };
      await actor.bringEscrow("refund", known, ({ refundedAmount }) => refundedAmount === part);
    },
    // A release is of the rest: mined again by a deep reorg that forgets the refund, it would release everything.
    later: payerReleases,
  },
  bound_payer: {
    terms: async ({ payer }) => ({ autoRelease: true, payerAddress: payer.address }),
    act: prove,
  },
  refund: {
    act: (actor) => actor.bringEscrow("refund", {}, ({ orderStatus }) => orderStatus === "CANCELLED"),
  },
  reclaim: {
    terms: async () => ({ deliveryPeriod: SOON_S }),
    later: (actor) => actor.transact(actor.payer, "reclaim", ({ status }) => status === "Cancelled"),
  },
  withdraw: {
    async act(actor) {
      await payerReleases(actor);
      // The gateway may have settled it first.
      await actor.transact(
        actor.merchant.account,
        "withdraw",
        ({ released, disbursed }) => released > 0n && disbursed === released,
        // A release that was mined again before its order has failed, and the payer has to send it again.
        () => payerReleases(actor),
      );
    },
  },
  late_funding: { before: cancel, act: payLate },
  double_spend: { terms: async () => ({ type: "CONDITIONAL" }) },
  lost_paid: { terms: async () => ({ autoRelease: true }), act: prove },
  lost_funded: {
    terms: async () => ({ autoRelease: true }),
    // Its bank account is lost, so the payee withdraws what is released on chain.
    async later(actor) {
      await prove(actor);
      await actor.transact(
        actor.merchant.account,
        "withdraw",
        ({ released, disbursed }) => released > 0n && disbursed === released,
      );
    },
  },
};

const FUNDED = ["SUCCEEDED", "SETTLED", "FINAL", "CANCELED"];

/** The merchant creates the payment: once, however often the request is repeated. */
export async function create(actor: Actor): Promise<void> {
  if (actor.id) return;
  const { plan, merchant } = actor;
  const body = {
    type: "DELIVERY_VS_PAYMENT",
    amount: formatAmount(plan.amount, plan.currency),
    currency: plan.currency,
    settlementMethod: plan.method,
    settlementDestination: plan.destination,
    ...(await STEPS[plan.story].terms?.(actor)),
  };
  const key = `create-${plan.name}-${merchant.account.address}`;
  const { status, body: intent } = await actor.ask<Intent>("POST", "/payment-intents", body, key);
  if (status !== 200) throw new Error(`${plan.name} was not created: ${status} ${JSON.stringify(intent)}`);
  actor.id = intent.id;
}

async function fund(actor: Actor): Promise<void> {
  const { plan, payer } = actor;
  const sign = async () => {
    const intent = await actor.look();
    if (!["INITIATED", "REQUIRES_SIGNATURE", "REQUIRES_ACTION"].includes(intent.status)) return;
    const signature = await payer.signTypedData(intent.data.typedData);
    await actor.want("confirm", { signature, payerAddress: payer.address });
  };
  const pay = () => actor.transact(payer, "createOrder", (order) => BigInt(order.payer) !== 0n);
  await actor.bring(
    "funded",
    async () => {
      const { status, settlementStatus } = await actor.look();
      return FUNDED.includes(status) || settlementStatus === "FAILED";
    },
    plan.funding === "signature" ? sign : pay,
  );
}

/** Everything that does not wait for time. */
export async function act(actor: Actor): Promise<void> {
  await create(actor);
  const { before, act: go } = STEPS[actor.plan.story];
  await before?.(actor);
  if (actor.plan.story !== "late_funding") await fund(actor);
  await go?.(actor);
}

export async function later(actor: Actor): Promise<void> {
  await STEPS[actor.plan.story].later?.(actor);
}

/** The statuses in which a payment may end. */
export function endsOf({ plan }: Actor): string[] {
  if (plan.story === "double_spend")
    return ["SETTLED", "FINAL", "INITIATED", "PROCESSING", "REQUIRES_ACTION"];
  if (plan.payeeAmount === 0n) return ["CANCELED"];
  const ends = plan.fate === "fail" || plan.fate === "returned" ? ["REQUIRES_ACTION"] : ["FINAL"];
  // What the payee withdraws on chain is never paid out to any destination.
  return plan.story === "withdraw" ? ["FINAL", ...ends] : ends;
}

/** Everything of it that a failover will lose: until it is funded, or until its bank has the order to pay. */
export async function loseLater(actor: Actor): Promise<void> {
  await act(actor);
  if (actor.plan.story !== "lost_paid") return;
  const isOrdered = async () =>
    (await trueTransfers(actor.world)).some(({ destination }) => destination === actor.plan.destination);
  await until(isOrdered, { what: `A transfer for ${actor.plan.name}`, timeoutMs: TIMEOUT_MS });
}

/** Waits for the end; a failed payout is requested again if that helps. */
export async function finish(actor: Actor): Promise<void> {
  const ends = endsOf(actor);
  let last = "";
  await actor
    .bring(
      `ended as ${ends.join(" or ")}`,
      async () => {
        last = (await actor.look()).status;
        return ends.includes(last);
      },
      async () => {
        const helps = last === "REQUIRES_ACTION" && actor.plan.fate === "fail_once";
        if (helps) await actor.want("settlement/retry");
      },
    )
    .catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error} It is ${last}.`);
    });
}

/** What people and banks do after a payment has ended, and the resulting status. */
export async function end(actor: Actor): Promise<void> {
  const { ending } = actor.plan;
  // If a reorg prevented the payout, there is nothing to return.
  if (ending === null || (await actor.look()).settlementStatus === null) return;
  const isIn = (status: string) => async () => (await actor.look()).status === status;
  if (ending === "paid_by_hand") {
    await actor.bring("paid by hand", isIn("FINAL"), async () => {
      await payByHand(actor);
      // A merchant who does not know requests another attempt.
      await actor.want("settlement/retry");
    });
    return;
  }
  await giveBack(actor);
  await actor.bring("given back", isIn("REQUIRES_ACTION"), async () => undefined);
}
