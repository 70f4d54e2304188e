// The result of one call on the bytecode and in the model.
import type { Call, Context, ErrorName, Result } from "../calls.ts";
import { isRefused } from "../calls.ts";
import { type Order, STATUSES } from "../order.ts";
import { type Address, ESCROW } from "../terms.ts";
import type { ChainOrder } from "./chain.ts";
import { feesOf, type TokenBehaviour } from "./token.ts";

/** The bytecode's result of a call. */
export type Observed =
  | { error: string }
  | {
      error: null;
      order: ChainOrder;
      /** The credit of the order's payer. */
      credit: bigint;
      /** The change of each balance of the order's token. Accounts that are missing did not change. */
      moved: ReadonlyMap<Address, bigint>;
    };

/** A call with everything that the model needs to evaluate it. */
export interface Step {
  order: Order | null;
  call: Call;
  context: Context;
  observed: Observed;
  token: TokenBehaviour;
  /** Whether the error names must match. */
  oneGuard: boolean;
  addresses: (name: Address) => string;
}

/** Returns one line for each aspect in which the model's result differs. */
export function differences(step: Step, result: Result): string[] {
  const { observed } = step;
  if (isRefused(result)) {
    if (observed.error === null) return [`the model refuses it (${result.error}), the contract does not`];
    if (!step.oneGuard || namesFor(step.call, result.error).includes(observed.error)) return [];
    return [`the model refuses it with ${result.error}, the contract with ${observed.error}`];
  }
  if (observed.error !== null) return [`the contract refuses it (${observed.error}), the model does not`];

  const { state } = result;
  const { order } = observed;
  const lines: string[] = [];
  const same = (field: string, model: unknown, contract: unknown) => {
    if (model !== contract) lines.push(`${field}: ${model} in the model, ${contract} in the contract`);
  };
  same("payer", step.addresses(state.payer), order.payer);
  same("status", state.status, STATUSES[order.status]);
  same("deliveryDeadline", state.deliveryDeadline, order.deliveryDeadline);
  same("disputeDeadline", state.disputeDeadline, order.disputeDeadline);
  same("disputedByPayer", state.payerDisputed, order.disputedByPayer);
  same("disputedByMerchant", state.merchantDisputed, order.disputedByMerchant);
  same("proven", state.proven, order.proven);
  same("withdrawn", state.withdrawn > 0n, order.withdrawn);
  same("released", state.released, order.released);
  same("disbursed", state.settled + state.withdrawn, order.disbursed);
  same("refunded", state.refunded, order.refunded);
  same("credit", state.credit, observed.credit);
  if (state.disputes > 0) {
    same("disputeSide", state.disputeSide, order.disputeSide === 0 ? "payer" : "merchant");
    same("statusBeforeDispute", state.statusBefore, STATUSES[order.statusBeforeDispute]);
  }
  const expected = movesOf(step, result);
  for (const name of new Set([...expected.keys(), ...observed.moved.keys()]))
    same(`balance of ${name}`, expected.get(name) ?? 0n, observed.moved.get(name) ?? 0n);
  return lines;
}

function movesOf({ call, context, token }: Step, result: Exclude<Result, { error: ErrorName }>) {
  const moves = new Map<Address, bigint>();
  const fees = feesOf(token);
  const move = (from: Address, to: Address, amount: bigint) => {
    moves.set(from, (moves.get(from) ?? 0n) - amount);
    moves.set(to, (moves.get(to) ?? 0n) + amount);
  };
  if (call.name === "createOrder") {
    move(call.payer, ESCROW, context.terms.amount);
    if (fees.sender > 0n) moves.set(call.payer, (moves.get(call.payer) ?? 0n) - fees.sender);
  }
  for (const { to, amount } of result.transfers) {
    move(ESCROW, to, amount);
    moves.set(to, (moves.get(to) ?? 0n) - fees.receiver);
  }
  return moves;
}

/** Returns the contract's errors that correspond to a rejection by the model. */
function namesFor(call: Call, error: ErrorName): readonly string[] {
  switch (error) {
    case "AgreementNotForThisDispute":
      return ["SignatureNotValid"];
    case "CallerNotAllowed":
      return "signers" in call && call.signers
        ? ["CallerNotAllowed", "SignatureNotValid", "RoleNotAllowed"]
        : // Only the payer may call then, so the contract names the oracle that is not independent.
          ["CallerNotAllowed", ...(call.name === "releaseMilestone" ? ["RoleNotAllowed"] : [])];
    case "OutOfRange":
      return call.name === "releaseMilestone" ? ["NothingToRelease"] : ["OutOfRange"];
    case "NotFundable":
      return ["TokenNotListed", "ReceivedOtherAmount", "SafeERC20FailedOperation", "Refused"];
    case "TransferRefused":
      return ["SentOtherAmount", "SafeERC20FailedOperation", "Refused", "Panic"];
    default:
      return [error];
  }
}
