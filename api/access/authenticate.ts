// Identifies the caller and checks their permission: by a key in X-API-Key, as a bearer token or as the user name of
// HTTP basic (spec, "Authentication"), or without a key by a dashboard session. Requests are rate-limited by key or
// user, or by address if there is neither (spec, "Limits").
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

/** @throws ServiceError 400 for two keys, because their order must not decide which one counts */
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

/** What an operation requires of its caller. */
export type AccessRequirement = {
  endpoint?: LimitedEndpoint;
  permission: Permission;
  /** Whether it is only for users of the dashboard. */
  userOnly?: boolean;
};

export type Visitor = {
  request: Request;
  server: Server<unknown> | null;
  set: { headers: Record<string, unknown> };
  /** Set once the caller is known, before anything is rejected. */
  caller?: Caller;
};

export class AccessControl {
  /** Look-ups in progress, by address: each may be for an unknown key. */
  readonly #lookUps = new Map<string, number>();

  constructor(
    private readonly callers: CallerLookup,
    private readonly limits: RateLimits,
    readonly readAddress: ClientAddress,
    /** Undefined if there is no dashboard. */
    private readonly findSessionCaller?: (request: Request) => Promise<Caller | undefined>,
  ) {}

  /**
   * Authenticates a request by its key, or by its session if it has no key.
   * @throws ServiceError 400 with two keys, 401 without one, 403 without the permission, 429 beyond a limit
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
   * Looks a key up in the database. Each look-up in progress counts against the address as if it failed. Once the limit
   * is used up, unknown keys must not cause a statement each, but a valid key is still served.
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

  /** The address by which a visitor without a key is counted. */
  readVisitorAddress({ request, server }: Visitor): string {
    return this.readAddress(request, server);
  }

  /** Admits any caller, counted by address. @throws ServiceError 429 beyond the limit */
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

  /** A failed key look-up is not the caller's fault: the response shows the remaining limit but does not count. */
  async #orShowAddress<T>({ request, server, set }: Visitor, found: Promise<T>): Promise<T> {
    try {
      return await found;
    } catch (error) {
      showVerdict(set.headers, await this.limits.ofAddress(this.readAddress(request, server)));
      throw error;
    }
  }
}
