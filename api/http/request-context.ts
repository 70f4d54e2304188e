// The state of a /v1 request that Elysia's hooks share, and the part of it that operations use.
import type { Server } from "bun";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { AuditAction } from "#core/audit/actions.ts";
import type { AuditEntry } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { inRequest } from "#core/log.ts";
import type { Changes } from "#core/model/changes.ts";
import { buildCreationEntry, type New, recordOperation } from "../audit/record-operation.ts";
import type { Claim } from "../idempotency/idempotency.ts";
import { storedText } from "../idempotency/sealed-answer.ts";
import type { Services } from "../services.ts";
import type { PathParameter } from "./declare.ts";

/** The argument of Elysia's hooks. */
export type Matched = {
  request: Request;
  /** The path parameters, as declared by the route. */
  params: Record<PathParameter, string>;
  set: { headers: Record<string, unknown> };
  server: Server<unknown> | null;
  /** The route's pattern, such as `/v1/payment-intents/:intentId`. */
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
  /** The request's body, or an empty object if it has none. */
  body: Record<string, unknown> = {};
  /** The audit log action, if the operation makes changes. */
  action?: AuditAction;
  /** The request's claim on its Idempotency-Key. */
  claim?: Claim;
  isFailed = false;

  /** @param services the services of the network that the request is for */
  constructor(
    { request, params, set, server, route }: Matched,
    public services: Services,
  ) {
    this.request = request;
    // A route without parameters has no params object.
    this.params = params ?? {};
    this.set = set;
    this.server = server;
    this.route = route;
  }

  get url(): URL {
    return new URL(this.request.url);
  }

  /**
   * Stores the response in the transaction that makes the changes, and returns it. A retry with the same
   * Idempotency-Key receives this response and has no effect. Also records the operation in the audit log. Operations
   * of the public API that make changes call this method, except for the creation of an intent without such a key.
   * @param changes old and new values for the audit log
   */
  async answer<T extends object>(tx: Transaction, answer: T, changes?: Changes): Promise<T> {
    await this.claim?.store(tx, storedText(this.services.config, answer));
    await recordOperation(tx, this, this.#requestId, answer, changes);
    return answer;
  }

  /**
   * Returns the audit log entry of a new intent, for requests without an Idempotency-Key. These need no
   * separate transaction, so the insert and its entry can be batched with those of other calls.
   */
  buildCreationEntry(answer: New): AuditEntry | undefined {
    const { caller, action, claim } = this;
    if (!caller || action === undefined || claim) return undefined;
    return buildCreationEntry({ caller, requestId: this.#requestId, action }, answer);
  }

  get #requestId(): string | null {
    return inRequest.getStore()?.requestId ?? null;
  }
}

/** The part of a call that an operation uses. */
export type PublicCall = Pick<RequestContext, "request" | "params" | "url" | "answer" | "buildCreationEntry">;

/** A call of an operation that requires a key or a session. */
export type Call = PublicCall & { caller: Caller };
