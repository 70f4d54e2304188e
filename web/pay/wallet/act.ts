// What a payer may do with a funded order, directly on the contract (contracts/IDeliveryVsPayment.sol).
import { getBlock, simulateContract, writeContract } from "viem/actions";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { type Checkout, isPositive } from "../checkout.ts";
import type { Verified } from "../verify.ts";
import { requireCommitted, untilMined } from "./pay.ts";
import { PaymentProblem } from "./problem.ts";
import type { Wallet } from "./ways.ts";

export const RIGHTS = ["release", "dispute", "reclaim", "claim"] as const;
export type Right = (typeof RIGHTS)[number];

/** A week, unless the terms ask for more (spec: disputeWindow). Seconds. */
const DISPUTE_WINDOW = 604_800;

const UNRELEASED = new Set(["Created", "Shipped", "Delivered", "Disputed"]);
const OPEN = new Set(["Created", "Shipped", "Delivered"]);

/** What the contract would let the payer do now. @param now Unix seconds */
export function rightsOf({ data }: Checkout, { releaseType }: Verified, now: number): Right[] {
  const { order } = data;
  if (!order) return [];
  const { status, disputedByPayer, deliveryDeadline, proven } = order;
  const open = OPEN.has(status);
  const late = now > deliveryDeadline;
  const { timeLockUntil } = data.terms;
  const lockExpired = releaseType === "TIME_LOCKED" && status !== "Created" && now >= timeLockUntil;
  const payeesRelease =
    proven && (releaseType === "MILESTONE_LOCKED" || (late && releaseType !== "TIME_LOCKED"));
  const reclaim = open && !proven && late && !lockExpired;
  const may: Record<Right, boolean> = {
    release: UNRELEASED.has(status),
    // Not while a party can end the order by its own call: a dispute would take that away.
    dispute: open && !disputedByPayer && !lockExpired && !payeesRelease && !reclaim,
    reclaim,
    claim: isPositive(order.credit),
  };
  return RIGHTS.filter((right) => may[right]);
}

/** How far a network's clock may be behind the payer's; what is further is told. Seconds. */
const PATIENCE = 60;
const POLL_MS = 1_000;

/** The latest block's time decides, and it is always a little old. @param moment Unix seconds */
async function untilChainIsPast(wallet: Wallet, moment: number): Promise<void> {
  for (;;) {
    const { timestamp } = await getBlock(wallet, { blockTag: "latest" });
    if (Number(timestamp) > moment) return;
    if (Number(timestamp) + PATIENCE < moment) throw new PaymentProblem({ kind: "early", until: moment });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

type Action = {
  wallet: Wallet;
  verified: Verified;
  right: Right;
  deliveryDeadline: number;
  /** Why there is a dispute. */
  reason: string;
  onSent(): void;
};

function send({ wallet, verified: { contract, terms }, right, reason }: Action) {
  const call = { address: contract, abi: deliveryVsPaymentAbi, account: wallet.account } as const;
  const window = Math.max(DISPUTE_WINDOW, terms.disputeWindow);
  switch (right) {
    case "release":
      return simulateContract(wallet, { ...call, functionName: "release", args: [terms] });
    case "reclaim":
      return simulateContract(wallet, { ...call, functionName: "reclaim", args: [terms] });
    case "claim":
      return simulateContract(wallet, { ...call, functionName: "claimCredit", args: [terms.token] });
    case "dispute":
      return simulateContract(wallet, {
        ...call,
        functionName: "raiseDispute",
        args: [terms, window, reason],
      });
  }
}

/** Returns when it is on chain. @throws see problem.ts */
export async function act(action: Action): Promise<void> {
  const { wallet, verified, right, deliveryDeadline, onSent } = action;
  await requireCommitted(wallet, verified);
  if (right === "reclaim") await untilChainIsPast(wallet, deliveryDeadline);
  const { request } = await send(action);
  const hash = await writeContract(wallet, request as Parameters<typeof writeContract>[1]);
  onSent();
  await untilMined(wallet, hash);
}
