// Uses a payer's right, directly on the contract (contracts/IDeliveryVsPayment.sol).
import { getBlock, readContract, simulateContract, writeContract } from "viem/actions";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import { DISPUTE_SIDES } from "#core/intent/show-escrow.ts";
import { type Currency, formatAmount } from "#core/money.ts";
import type { Order } from "../checkout.ts";
import type { Right } from "../rights.ts";
import type { Verified } from "../verify.ts";
import { requireCommitted, untilMined } from "./pay.ts";
import { PaymentProblem } from "./problem.ts";
import type { Wallet } from "./ways.ts";

/** A week, unless the terms ask for more (spec: disputeWindow). Seconds. */
const DISPUTE_WINDOW = 604_800;

/** How far a network's clock may be behind the payer's; what is further is reported. Seconds. */
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

/** What decides where the money goes, as the page shows it and as the contract has it. */
const decisiveOf = ({ status, statusBeforeDispute, disputeSide, proven, released, refunded }: Order) =>
  [
    status,
    ...(status === "Disputed" ? [statusBeforeDispute, disputeSide] : []),
    proven,
    released,
    refunded,
  ].join();

/**
 * The payer has read what the gateway says of the order; the contract goes by its own record.
 * @throws PaymentProblem if they differ
 */
async function requireAsShown({ wallet, verified, order, currency }: Action): Promise<void> {
  const { contract: address, terms } = verified;
  const record = await readContract(wallet, {
    ...{ address, abi: deliveryVsPaymentAbi, functionName: "getOrder", args: [terms] },
  });
  const recorded: Order = {
    ...order,
    status: ORDER_STATUSES[record.status] ?? order.status,
    statusBeforeDispute: ORDER_STATUSES[record.statusBeforeDispute] ?? null,
    disputeSide: DISPUTE_SIDES[record.disputeSide] ?? null,
    proven: record.proven,
    released: formatAmount(record.released, currency),
    refunded: formatAmount(record.refunded, currency),
  };
  if (decisiveOf(recorded) !== decisiveOf(order)) throw new PaymentProblem({ kind: "outdated" });
}

type Action = {
  wallet: Wallet;
  verified: Verified;
  right: Right;
  /** As the payer has read it. */
  order: Order;
  currency: Currency;
  /** What is released in total once the next milestone is, in the token's smallest unit. */
  cumulative: bigint;
  /** Why there is a dispute. */
  reason: string;
  onSent(): void;
  /** Aborted: the wallet is not asked any more. */
  signal: AbortSignal;
};

function send({ wallet, verified: { contract, terms }, right, cumulative, reason }: Action) {
  const call = { address: contract, abi: deliveryVsPaymentAbi, account: wallet.account } as const;
  const window = Math.max(DISPUTE_WINDOW, terms.disputeWindow);
  switch (right) {
    case "milestone":
      return simulateContract(wallet, {
        ...call,
        functionName: "releaseMilestone",
        args: [terms, cumulative],
      });
    case "release":
      return simulateContract(wallet, { ...call, functionName: "release", args: [terms] });
    case "reclaim":
      return simulateContract(wallet, { ...call, functionName: "reclaim", args: [terms] });
    case "expire":
      return simulateContract(wallet, { ...call, functionName: "resolveExpiredDispute", args: [terms] });
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
  const { wallet, verified, right, order, signal, onSent } = action;
  await requireCommitted(wallet, verified);
  if (right === "milestone" || right === "expire") await requireAsShown(action);
  if (right === "reclaim") await untilChainIsPast(wallet, order.deliveryDeadline);
  if (right === "expire") await untilChainIsPast(wallet, order.disputeDeadline ?? 0);
  const { request } = await send(action);
  signal.throwIfAborted();
  const hash = await writeContract(wallet, request as Parameters<typeof writeContract>[1]);
  onSent();
  await untilMined(wallet, hash);
}
