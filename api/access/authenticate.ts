// Authenticates the caller and checks their permission. The caller sends a key in X-API-Key, as a bearer token
// or as the user name of HTTP basic authentication (spec, "Authentication"), or has a dashboard session.
// Requests are rate-limited by key or user, or otherwise by address (spec, "Limits").
import { createHash } from "node:crypto";
import type { Server } from "bun";
import { type Caller, requirePermission } from "#core/api-keys/api-keys.ts";
import type { Permission } from "#core/api-keys/permissions.ts";
import { authenticationRequired, forbidden, invalidRequest, ServiceError } from "#core/errors.ts";
import type { ClientAddress } from "./client-address.ts";
import type { CallerLookup } from "./find-caller.ts";
import { type LimitedEndpoint, type RateLimits, showVerdict, toRefusal } from "./rate-limits.ts";

export const TWO_KEYS = invalidRequest(
  "X-API-Key and Authorization contain different API keys. Send only one.",
);

function keyInAuthorization(headers: Headers): string | undefined {
  const [scheme = "", credentials = ""] = headers.get("authorization")?.trim().split(/\s+/, 2) ?? [];
  if (/^bearer$/i.test(scheme)) return credentials || undefined;
  if (/^basic$/i.test(scheme)) {
    const [user] = Buffer.from(credentials, "base64").toString("utf8").split(":", 1);
    return user || undefined;
  }
  return undefined;
}

/** @throws ServiceError 400 for two different keys, because neither takes precedence */
function readKey(headers: Headers): string | undefined {
  const own = headers.get("x-api-key")?.trim() || undefined;
  const other = keyInAuthorization(headers);
  if (own !== undefined && other !== undefined && own !== other) throw TWO_KEYS;
  return own ?? other;
}

export const INVALID_KEY = forbidden(
  "This API key is invalid. Check it in the dashboard, or use another key.",
);

export const FOR_USERS =
  "An API key cannot manage API keys or the team. Sign in to the dashboard, or use the command line.";

/** The access requirements of an operation. */
export type AccessRequirement = {
  endpoint?: LimitedEndpoint;
  permission: Permission;
  /** Whether only dashboard users are allowed. */
  userOnly?: boolean;
};

export type Visitor = {
  request: Request;
  server: Server<unknown> | null;
  set: { headers: Record<string, unknown> };
  /** Set when the caller is known, before the request can be rejected. */
  caller?: Caller;
};

export class AccessControl {
  /** Number of look-ups in progress by address. Each look-up may be for an unknown key. */
  readonly #lookUps = new Map<string, number>();

  constructor(
    private readonly callers: CallerLookup,
    private readonly limits: RateLimits,
    readonly readAddress: ClientAddress,
    /** Undefined if the gateway has no dashboard. */
    private readonly findSessionCaller?: (request: Request) => Promise<Caller | undefined>,
  ) {}

  /**
   * Authenticates a request by its key, or by its session if it has no key.
   * @throws ServiceError 400 for two keys, 401 without a key, 403 without the permission, 429 beyond a limit
   */
  async byKey(context: Visitor, requirement: AccessRequirement): Promise<Caller> {
    let key: string | undefined;
    try {
      key = readKey(context.request.headers);
    } catch (error) {
      return this.#refuse(context, error);
    }
    if (key === undefined) return this.#bySession(context, requirement);
    const caller = this.callers.remembered(key) ?? (await this.#lookUp(context, key));
    return this.#admit(context, caller, requirement);
  }

  /**
   * Looks a key up in the database. Each look-up in progress counts against the address as if it had failed.
   * After the limit is reached, look-ups are batched, so that unknown keys do not cause a statement each while a
   * valid key is still accepted.
   */
  async #lookUp(context: Visitor, key: string): Promise<Caller> {
    const address = this.readVisitorAddress(context);
    const inProgress = this.#lookUps.get(address) ?? 0;
    const isSuspect = this.limits.leftForAddress(address) <= inProgress;
    this.#lookUps.set(address, inProgress + 1);
    try {
      const caller = await this.#orShowAddress(context, this.callers.find(key, isSuspect));
      return caller ?? (await this.#refuse(context, INVALID_KEY));
    } finally {
      const left = (this.#lookUps.get(address) ?? 1) - 1;
      if (left > 0) this.#lookUps.set(address, left);
      else this.#lookUps.delete(address);
    }
  }

  async #bySession(context: Visitor, requirement: AccessRequirement): Promise<Caller> {
    const found = this.findSessionCaller?.(context.request);
    if (!found) return this.#refuse(context, authenticationRequired());
    let caller: Caller | undefined;
    try {
      caller = await this.#orShowAddress(context, found);
    } catch (error) {
      return error instanceof ServiceError && error.status < 500
        ? this.#refuse(context, error)
        : Promise.reject(error);
    }
    return caller
      ? this.#admit(context, caller, requirement)
      : this.#refuse(context, authenticationRequired());
  }

  async #admit(
    context: Visitor,
    caller: Caller,
    { endpoint, permission, userOnly }: AccessRequirement,
  ): Promise<Caller> {
    context.caller = caller;
    const verdict = await this.limits.takeForCaller(caller, endpoint);
    showVerdict(context.set.headers, verdict);
    if (verdict.refused) throw toRefusal(verdict);
    if (userOnly && !caller.isUser) throw forbidden(FOR_USERS);
    requirePermission(caller, permission);
    return caller;
  }

  /** Returns the address by which requests without a key are counted. */
  readVisitorAddress({ request, server }: Visitor): string {
    return this.readAddress(request, server);
  }

  /** Admits any caller and counts the request by address. @throws ServiceError 429 beyond the limit */
  async byAddress(visitor: Visitor): Promise<void> {
    const verdict = await this.limits.takeForAddress(this.readVisitorAddress(visitor));
    showVerdict(visitor.set.headers, verdict);
    if (verdict.refused) throw toRefusal(verdict);
  }

  /** Counts a sign-in attempt for the named account. @throws ServiceError 429 beyond the limit */
  async bySignIn(visitor: Visitor, email: string): Promise<void> {
    const account = createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
    const verdict = await this.limits.takeForSignIn(account);
    if (!verdict.refused) return;
    showVerdict(visitor.set.headers, verdict);
    throw toRefusal(verdict);
  }

  async #refuse(visitor: Visitor, refusal: unknown): Promise<never> {
    await this.byAddress(visitor);
    throw refusal;
  }

  /** If a look-up fails, the response shows the remaining limit, but the request does not count. */
  async #orShowAddress<T>({ request, server, set }: Visitor, found: Promise<T>): Promise<T> {
    try {
      return await found;
    } catch (error) {
      showVerdict(set.headers, await this.limits.ofAddress(this.readAddress(request, server)));
      throw error;
    }
  }
}
