// Sends an escrow operation to the chain. The transaction is simulated, stored, and then broadcast once.
import type { Transaction } from "#core/db/client.ts";
import type { TransactionPurpose } from "#core/db/schema/transactions.ts";
import { invalidStatus, type ServiceError } from "#core/errors.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { PreparedCall, Relayer, StoredAttempt } from "#core/relayer/relayer.ts";
import { operationRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import { lockIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { hasUnseenCall } from "./unseen.ts";
import { untilIndexed } from "./until-indexed.ts";

/** All operations that change a funded order. While one is pending, another one would be based on an outdated state. */
const MOVES: TransactionPurpose[] = [
  "mark_shipped",
  "submit_delivery_proof",
  "release",
  "release_milestone",
  "release_time_locked",
  "refund",
  "raise_dispute",
  "resolve_dispute",
  "resolve_expired_dispute",
];

type Operation<Answer> = {
  purpose: TransactionPurpose;
  functionName: string;
  /** The arguments after the terms. */
  args?: readonly unknown[];
  /** The sender of the transaction. Default: the order's operator. */
  relayer?: Relayer;
  /** Throws the error defined by the spec if the order's state does not allow the operation. */
  require(view: IntentView): void;
  /** Maps the contract's error to the error of this operation. */
  refused?(error: unknown): ServiceError | undefined;
  /** The response, or a function that builds it in the transaction that stores the attempt. */
  answer: Answer | ((tx: Transaction, attempt: StoredAttempt, locked: IntentView) => Promise<Answer>);
};

async function prepare(
  relayer: Relayer,
  view: IntentView,
  operation: Operation<unknown>,
): Promise<PreparedCall> {
  const { purpose, functionName, args = [] } = operation;
  try {
    return await relayer.prepare(purpose, [orderIdOfIntent(view.intent.id)], {
      functionName,
      args: [view.terms, ...args],
    });
  } catch (error) {
    throw operation.refused?.(error) ?? operationRefused(error) ?? error;
  }
}

/** Resolves when the operation is stored permanently and, on a fast chain, indexed. */
export async function relayOperation<Answer extends object>(
  services: Services,
  call: Call,
  view: IntentView,
  operation: Operation<Answer>,
): Promise<Answer> {
  operation.require(view);
  const { relayer = services.relayer } = operation;
  const prepared = await prepare(relayer, view, operation);
  const { attempt, answer, locked } = await services.database.transaction(async (tx) => {
    const locked = await lockIntent(services, tx, view);
    operation.require(locked);
    if (
      await hasUnseenCall(
        tx,
        orderIdOfIntent(view.intent.id),
        MOVES,
        locked.head,
        locked.order?.operationTxHash,
      )
    ) {
      throw invalidStatus(
        "Another operation on this escrow order is in progress. Retrieve the order once it completes: it may be the operation that you requested.",
      );
    }
    const stored = await relayer.store(tx, prepared);
    const made =
      typeof operation.answer === "function" ? await operation.answer(tx, stored, locked) : operation.answer;
    return { attempt: stored, answer: await call.answer(tx, made), locked };
  });
  await relayer.broadcast(attempt);
  await untilIndexed(services, locked, attempt.hash);
  return answer;
}
