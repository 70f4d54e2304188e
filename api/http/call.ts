// One call of an operation: who calls, what was sent, and how its answer is made to last.
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Changes } from "#core/audit/changes.ts";
import type { AuditEntry } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { inRequest } from "#core/log.ts";
import { entryOfNew, type New, recordOperation } from "../audit/record-operation.ts";
import { storedText } from "../idempotency/sealed-answer.ts";
import type { PathParameter } from "./declare.ts";
import type { RequestContext } from "./request-context.ts";

export type PublicCall = {
  request: Request;
  /** The path's, as its route declares them. */
  params: Record<PathParameter, string>;
  url: URL;
  /**
   * Stores the answer in the transaction of the effect, and returns it: a retry with the same Idempotency-Key gets this
   * answer and has no effect of its own. Enters the operation into the audit log there, too. Every operation that
   * changes something calls it.
   * @param changes for the audit log, of what somebody entered
   */
  answer<T extends object>(tx: Transaction, answer: T, changes?: Changes): Promise<T>;
  /**
   * The audit log's entry for something new, where no Idempotency-Key asks for a transaction of its own: then the
   * effect and its entry may be written together with those of other calls.
   */
  entryOfNew(answer: New): AuditEntry | undefined;
};

export type Call = PublicCall & { caller: Caller };

export function toCall(context: RequestContext): PublicCall | Call {
  const { request, params, caller, network } = context;
  const requestId = inRequest.getStore()?.requestId ?? null;
  return {
    request,
    params: params as PublicCall["params"],
    url: new URL(request.url),
    ...(caller ? { caller } : {}),
    async answer(tx, answer, changes) {
      await context.claim?.store(tx, storedText(network.config, answer));
      await recordOperation(tx, context, requestId, answer, changes);
      return answer;
    },
    entryOfNew(answer) {
      const { claim, action } = context;
      return caller && action !== undefined && !claim
        ? entryOfNew({ caller, requestId, action }, answer)
        : undefined;
    },
  };
}
