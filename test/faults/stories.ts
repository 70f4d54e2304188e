// The steps of each payment by its merchant and its payer, and with the passage of time. Every step first checks
// whether it is already done.
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

/** The longest time that any step waits for, in seconds. */
export const LATEST_S = 7_200;
const SOON_S = 1_800;
/**
 * A lock's end is also the funding deadline. It is later than every clock jump among the faults, so that an order that
 * a reorg removed can be funded again.
 */
const LOCKED_S = 5_400;
/**
 * Age of a lock that has expired according to any clock. To an indexer that lags behind a clock jump, a more recent
 * lock would still be in the future.
 */
const A_DAY_S = 86_400;
const A_WEEK_S = "604800";

type Steps = {
  /** Terms that the merchant requests in addition to the common ones. */
  terms?: (actor: Actor) => Promise<object>;
  /** Runs before the money is in escrow. */
  before?: (actor: Actor) => Promise<void>;
  act?: (actor: Actor) => Promise<void>;
  /** Runs after all locks, windows and deadlines have passed. */
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
/** A time after the end of any run. */
const NEVER = 4_000_000_000n;

/** Raises a dispute with the merchant's key, so it counts as the merchant's dispute. */
const dispute = (actor: Actor, disputeWindow: string) =>
  actor.bringEscrow(
    "dispute",
    { reason: REASON, raisedBy: actor.payer.address, disputeWindow },
    ({ disputeRaisedAt }) => disputeRaisedAt !== null,
  );

/** Raises the payer's own dispute with the payer's signature. */
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
  // The dispute was raised with the merchant's key.
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

/** Funds a canceled payment. The gateway refunds it automatically. */
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
      // A reorg may have removed the proof and mined the dispute first. The order then resumes without the proof.
      await prove(actor);
      await actor.bringEscrow("release", {}, ({ releasedAt }) => releasedAt !== null);
    },
  },
  partial_refund: {
    async act(actor) {
      const { amount, payeeAmount, currency } = actor.plan;
      const part = formatAmount(amount - payeeAmount, currency);
      // The request states the refunded amount that the merchant has read, so a refund that was reorged and mined again
      // is not repeated.
      const known = { amount: part, refundedAmount: "0.00" };
      await actor.bringEscrow("refund", known, ({ refundedAmount }) => refundedAmount === part);
    },
    // A release covers the remainder. If it happened earlier, a deep reorg that drops the refund could mine it again,
    // and it would then release everything.
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
      // The gateway may have settled the order first.
      await actor.transact(
        actor.merchant.account,
        "withdraw",
        ({ released, disbursed }) => released > 0n && disbursed === released,
        // If the release was mined again before its order, it has failed, and the payer must send it again.
        () => payerReleases(actor),
      );
    },
  },
  late_funding: { before: cancel, act: payLate },
  double_spend: { terms: async () => ({ type: "CONDITIONAL" }) },
  lost_paid: { terms: async () => ({ autoRelease: true }), act: prove },
  lost_funded: {
    terms: async () => ({ autoRelease: true }),
    // The bank account is lost in the failover, so the payee withdraws the released funds on chain.
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

/** Creates the payment as the merchant, exactly once, however often the request is repeated. */
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
      if (!FUNDED.includes(status) && settlementStatus !== "FAILED") return false;
      // Once a bank has accepted the payout, a deep reorg that removes the order does not change the status. Only the
      // payer's wallet can then submit the forgotten transaction again.
      return plan.funding === "signature" || BigInt((await actor.onChain()).payer) !== 0n;
    },
    plan.funding === "signature" ? sign : pay,
  );
}

/** Runs every step that does not wait for time to pass. */
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

/** Returns the statuses in which a payment may end. */
export function endsOf({ plan }: Actor): string[] {
  if (plan.story === "double_spend")
    return ["SETTLED", "FINAL", "INITIATED", "PROCESSING", "REQUIRES_ACTION"];
  if (plan.payeeAmount === 0n) return ["CANCELED"];
  const ends = plan.fate === "fail" || plan.fate === "returned" ? ["REQUIRES_ACTION"] : ["FINAL"];
  // Funds that the payee withdraws on chain are not paid out, so the destination does not matter.
  return plan.story === "withdraw" ? ["FINAL", ...ends] : ends;
}

/**
 * Runs the part that a failover will lose: until the payment is funded, or until its bank has accepted the transfer.
 */
export async function loseLater(actor: Actor): Promise<void> {
  await act(actor);
  if (actor.plan.story !== "lost_paid") return;
  const isOrdered = async () =>
    (await trueTransfers(actor.world)).some(({ destination }) => destination === actor.plan.destination);
  await until(isOrdered, { what: `A transfer for ${actor.plan.name}`, timeoutMs: TIMEOUT_MS });
}

/** Waits until the payment ends. Requests a failed payout again if that helps. */
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

/** Runs what people and banks do after a payment has ended, and waits for the resulting status. */
export async function end(actor: Actor): Promise<void> {
  const { ending } = actor.plan;
  // If a reorg prevented the payout, there is nothing to return.
  if (ending === null || (await actor.look()).settlementStatus === null) return;
  const isIn = (status: string) => async () => (await actor.look()).status === status;
  if (ending === "paid_by_hand") {
    await actor.bring("paid by hand", isIn("FINAL"), async () => {
      await payByHand(actor);
      // The merchant is unaware of the manual payment and requests another attempt.
      await actor.want("settlement/retry");
    });
    return;
  }
  await giveBack(actor);
  await actor.bring("given back", isIn("REQUIRES_ACTION"), async () => undefined);
}
