// What is known of a request to /v1 on its way through the router's hooks, and what of it an operation works with.
import type { Server } from "bun";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { AuditAction } from "#core/audit/actions.ts";
import type { Changes } from "#core/audit/changes.ts";
import type { AuditEntry } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { inRequest } from "#core/log.ts";
import { entryOfNew, type New, recordOperation } from "../audit/record-operation.ts";
import type { Claim } from "../idempotency/idempotency.ts";
import { storedText } from "../idempotency/sealed-answer.ts";
import type { Services } from "../services.ts";
import type { PathParameter } from "./declare.ts";

/** What the router gives to a hook. */
export type Matched = {
  request: Request;
  /** The path's, as its route declares them. */
  params: Record<PathParameter, string>;
  set: { headers: Record<string, unknown> };
  server: Server<unknown> | null;
  /** The pattern, such as `/v1/payment-intents/:intentId`. */
  route: string;
};

export class RequestContext {
  readonly startedAt = performance.now();
  readonly request: Request;
  readonly params: Matched["params"];
  readonly set: Matched["set"];
  readonly server: Matched["server"];
  readonly route: string;
  caller?: Caller;
  /** The body; an empty object where there is none. */
  body: Record<string, unknown> = {};
  /** What the audit log calls it, if it changes something. */
  action?: AuditAction;
  /** Its hold on its Idempotency-Key. */
  claim?: Claim;
  isFailed = false;

  /** @param network the services of the network that the request is for */
  constructor(
    { request, params, set, server, route }: Matched,
    public network: Services,
  ) {
    this.request = request;
    // A route without parameters has none at all.
    this.params = params ?? {};
    this.set = set;
    this.server = server;
    this.route = route;
  }

  get url(): URL {
    return new URL(this.request.url);
  }

  /**
   * Stores the answer in the transaction of the effect, and returns it: a retry with the same Idempotency-Key gets this
   * answer and has no effect of its own. Enters the operation into the audit log there, too. Every operation that
   * changes something calls it.
   * @param changes for the audit log, of what somebody entered
   */
  async answer<T extends object>(tx: Transaction, answer: T, changes?: Changes): Promise<T> {
    await this.claim?.store(tx, storedText(this.network.config, answer));
    await recordOperation(tx, this, this.#requestId, answer, changes);
    return answer;
  }

  /**
   * The audit log's entry for something new, where no Idempotency-Key asks for a transaction of its own: then the
   * effect and its entry may be written together with those of other calls.
   */
  entryOfNew(answer: New): AuditEntry | undefined {
    const { caller, action, claim } = this;
    if (!caller || action === undefined || claim) return undefined;
    return entryOfNew({ caller, requestId: this.#requestId, action }, answer);
  }

  get #requestId(): string | null {
    return inRequest.getStore()?.requestId ?? null;
  }
}

/** What an operation knows of its call. */
export type PublicCall = Pick<RequestContext, "request" | "params" | "url" | "answer" | "entryOfNew">;

/** Of an operation for callers with a key or a session. */
export type Call = PublicCall & { caller: Caller };
