// The kinds of payments in the benchmark. Each payment reaches its state through the API, the payer's signature and the
// contract, on a real chain.
import { fundAs, type Player } from "./player.ts";

export type Kind = {
  name: string;
  /** Whether payments of this kind stay open; otherwise they complete. */
  open: boolean;
  /** The kind's share of the history (or of the open payments), as a weight. */
  share: number;
  play(player: Player): Promise<void>;
};

const DISPUTE_EXPIRED = "dispute expired";
const SOON_S = 60;
const DAY_S = 86_400;
const HASH = `0x${"ab".repeat(32)}`;

const typed = (releaseType: string, more: object = {}) => ({ metadata: { releaseType, ...more } });
const lockedUntil = (seconds: number) =>
  typed("TIME_LOCKED", { timeLockUntil: String(Math.floor(Date.now() / 1_000) + seconds) });

const prove = (player: Player) =>
  player.escrow("delivery-proof", { proofHash: HASH, submittedBy: player.payer.address });

const dispute = (player: Player, seconds?: number) =>
  player.escrow("dispute", {
    ...{ reason: "It is broken.", raisedBy: player.payer.address },
    ...(seconds === undefined ? {} : { disputeWindow: String(seconds) }),
  });

/** @returns the milestones' ids */
async function planMilestones(player: Player): Promise<string[]> {
  const planned = [0, 1].map((milestoneIndex) =>
    player.escrow<{ id: string }>("milestones", { milestoneIndex, amount: "50.00" }),
  );
  return (await Promise.all(planned)).map(({ id }) => id);
}

const completeMilestone = (player: Player, id: string) =>
  player.escrow(`milestones/${id}/complete`, { completedBy: player.merchant.account });

const HISTORY: Omit<Kind, "open">[] = [
  {
    name: "settled",
    share: 54,
    async play(player) {
      await player.create({ autoRelease: true });
      await fundAs(player);
      await prove(player);
      await player.until("payment_intent.final");
    },
  },
  {
    name: "released by hand",
    share: 10,
    async play(player) {
      await player.create();
      await fundAs(player);
      await prove(player);
      await player.until("delivery_proof.submitted");
      await player.escrow("release", {});
      await player.until("payment_intent.final");
    },
  },
  {
    name: "milestones",
    share: 8,
    async play(player) {
      await player.create({ autoRelease: true, ...typed("MILESTONE_LOCKED") });
      const ids = await planMilestones(player);
      await fundAs(player);
      for (const id of ids) await completeMilestone(player, id);
      await player.until("payment_intent.final");
    },
  },
  {
    name: "time lock over",
    share: 4,
    async play(player) {
      await player.create(lockedUntil(-DAY_S));
      await fundAs(player);
      await player.escrow("ship", {});
      await player.until("payment_intent.final");
    },
  },
  {
    name: "dispute resolved",
    share: 3,
    async play(player) {
      await player.create();
      await fundAs(player);
      await dispute(player);
      await player.until("dispute.raised");
      await player.escrow("dispute/resolve", { outcome: "PARTIAL_REFUND", merchantAmount: "40.00" });
      await player.until("payment_intent.final");
    },
  },
  {
    name: DISPUTE_EXPIRED,
    share: 1,
    async play(player) {
      await player.create();
      await fundAs(player);
      await dispute(player, SOON_S);
      await player.until("dispute.resolved");
      await player.escrow("refund", {});
      await player.until("payment_intent.canceled");
    },
  },
  {
    name: "refunded",
    share: 5,
    async play(player) {
      await player.create();
      await fundAs(player);
      await player.escrow("refund", {});
      await player.until("payment_intent.canceled");
    },
  },
  {
    name: "canceled by merchant",
    share: 6,
    async play(player) {
      await player.create();
      await player.post("cancel", {});
      await player.until("payment_intent.canceled");
    },
  },
  {
    name: "canceled by expiry",
    share: 8,
    async play(player) {
      await player.insertExpiring();
      await player.until("payment_intent.canceled");
    },
  },
  {
    name: "funded late",
    share: 1,
    async play(player) {
      await player.create();
      await player.post("cancel", {});
      await player.until("payment_intent.canceled");
      await player.payOnChain();
      await player.until("conditional_payment.refunded");
    },
  },
];

const OPEN: Omit<Kind, "open">[] = [
  { name: "unfunded", share: 30, play: (player) => player.create() },
  {
    name: "funded",
    share: 25,
    async play(player) {
      await player.create();
      await fundAs(player);
    },
  },
  {
    name: "delivered",
    share: 15,
    async play(player) {
      await player.create();
      await fundAs(player);
      await prove(player);
      await player.until("delivery_proof.submitted");
    },
  },
  {
    name: "locked",
    share: 15,
    async play(player) {
      await player.create(lockedUntil(5 * DAY_S));
      await fundAs(player);
      await prove(player);
      await player.until("delivery_proof.submitted");
    },
  },
  {
    name: "disputed",
    share: 5,
    async play(player) {
      await player.create();
      await fundAs(player);
      await dispute(player);
      await player.until("dispute.raised");
    },
  },
  {
    name: "milestones open",
    share: 10,
    async play(player) {
      await player.create({ autoRelease: true, ...typed("MILESTONE_LOCKED") });
      const [first = ""] = await planMilestones(player);
      await fundAs(player);
      await completeMilestone(player, first);
      await player.until("milestone.released");
    },
  },
];

export const KINDS: Kind[] = [
  ...HISTORY.map((kind) => ({ ...kind, open: false })),
  ...OPEN.map((kind) => ({ ...kind, open: true })),
];

/** The kinds that need not wait for the end of a dispute window. */
export const QUICK_KINDS: Kind[] = KINDS.filter(({ name }) => name !== DISPUTE_EXPIRED);
