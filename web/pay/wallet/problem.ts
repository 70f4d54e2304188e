// Converts errors of the page, wallet, chain and gateway to a few kinds of problems that a payer can act on.
import {
  BaseError,
  ContractFunctionRevertedError,
  HttpRequestError,
  InsufficientFundsError,
  TimeoutError,
  UserRejectedRequestError,
} from "viem";
import { Refusal, Unreachable } from "../../ui/api-errors.ts";

export type Problem =
  | {
      kind:
        | "rejected"
        | "busy"
        | "offline"
        | "often"
        | "changed"
        | "outdated"
        | "account"
        | "gas"
        | "tampered"
        | "wrongNetwork"
        | "expired"
        | "taken"
        | "silent"
        | "unanswered"
        | "paused";
    }
  | { kind: "balance"; has: bigint; needs: bigint }
  | { kind: "allowance" }
  | { kind: "early"; until: number }
  | { kind: "reverted"; hash?: `0x${string}` }
  | { kind: "refused" | "other"; message: string };

export class PaymentProblem extends Error {
  override readonly name = "PaymentProblem";

  constructor(readonly problem: Problem) {
    super(problem.kind);
  }
}

/** The contract's custom errors, mapped to problems. */
const REVERTS: Record<string, Problem> = {
  OutsideTime: { kind: "expired" },
  OrderExists: { kind: "taken" },
  StatusNotAllowed: { kind: "outdated" },
  NothingToRelease: { kind: "outdated" },
  TokenNotListed: { kind: "paused" },
  ERC20InsufficientAllowance: { kind: "allowance" },
};

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

/** Walks the error's causes, because wallets wrap errors in one another. */
function* causesOf(error: unknown): Generator<unknown> {
  for (let cause = error, depth = 0; cause && depth < 10; depth++) {
    yield cause;
    cause = (cause as { cause?: unknown }).cause;
  }
}

/** Nodes have no distinct error code for insufficient funds, and viem knows only the messages of the largest nodes. */
const NO_GAS = /(insufficient|enough) funds|max upfront cost/i;

function lacksGas(cause: unknown): boolean {
  const { message, details } = (cause ?? {}) as { message?: unknown; details?: unknown };
  return [message, details].some((text) => typeof text === "string" && NO_GAS.test(text));
}

function problemOfCause(cause: unknown): Problem | undefined {
  if (cause instanceof PaymentProblem) return cause.problem;
  if (cause instanceof UserRejectedRequestError || codeOf(cause) === 4001) return { kind: "rejected" };
  if (codeOf(cause) === -32002) return { kind: "busy" };
  if (cause instanceof Unreachable) return { kind: "offline" };
  if (cause instanceof HttpRequestError || cause instanceof TimeoutError) return { kind: "offline" };
  if (cause instanceof InsufficientFundsError || lacksGas(cause)) return { kind: "gas" };
  if (cause instanceof ContractFunctionRevertedError) {
    return REVERTS[cause.data?.errorName ?? ""] ?? { kind: "reverted" };
  }
  if (cause instanceof Refusal) {
    if (cause.tooOften) return { kind: "often" };
    return cause.param === "payerAddress" ? { kind: "account" } : { kind: "refused", message: cause.message };
  }
  return undefined;
}

export function toProblem(error: unknown): Problem {
  for (const cause of causesOf(error)) {
    const problem = problemOfCause(cause);
    if (problem) return problem;
  }
  const message =
    error instanceof BaseError ? error.shortMessage : String((error as Error)?.message ?? error);
  return { kind: "other", message };
}
