// Exercises a payer's right by calling the contract directly (contracts/IDeliveryVsPayment.sol).
import { getBlock, readContract, simulateContract, writeContract } from "viem/actions";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import { DISPUTE_SIDES } from "#core/intent/show-escrow.ts";
import { type Currency, formatAmount } from "#core/money.ts";
import type { Order } from "../payment/checkout.ts";
import type { Right } from "../payment/rights.ts";
import type { Verified } from "../payment/verify.ts";
import { requireCommitted, untilMined } from "./pay.ts";
import type { Wallet } from "./payment-methods.ts";
import { PaymentProblem } from "./problem.ts";

/** Dispute window in seconds: one week, unless the terms require a longer window (spec: disputeWindow). */
const DISPUTE_WINDOW = 604_800;

/** How many seconds the chain's clock can lag behind the payer's clock. A longer lag is reported as a problem. */
const MAX_CLOCK_LAG = 60;
const POLL_MS = 1_000;

/** Waits until the latest block is later than `moment`; block times always lag a little. @param moment Unix seconds */
async function untilChainIsPast(wallet: Wallet, moment: number): Promise<void> {
  for (;;) {
    const { timestamp } = await getBlock(wallet, { blockTag: "latest" });
    if (Number(timestamp) > moment) return;
    if (Number(timestamp) + MAX_CLOCK_LAG < moment)
      throw new PaymentProblem({ kind: "early", until: moment });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Joins the fields that determine where the money goes, to compare the page with the contract. */
const joinDecisiveFields = ({
  status,
  statusBeforeDispute,
  disputeSide,
  proven,
  released,
  refunded,
}: Order) =>
  [
    status,
    ...(status === "Disputed" ? [statusBeforeDispute, disputeSide] : []),
    proven,
    released,
    refunded,
  ].join();

/**
 * Checks that the order shown to the payer matches the contract's record.
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
  if (joinDecisiveFields(recorded) !== joinDecisiveFields(order))
    throw new PaymentProblem({ kind: "outdated" });
}

type Action = {
  wallet: Wallet;
  verified: Verified;
  right: Right;
  /** The order as shown to the payer. */
  order: Order;
  currency: Currency;
  /** The cumulative release after the next milestone, in the token's smallest unit. */
  cumulative: bigint;
  reason: string;
  onSent(): void;
  /** Once aborted, the wallet receives no further requests. */
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

/** Resolves when the transaction is mined. @throws see problem.ts */
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
