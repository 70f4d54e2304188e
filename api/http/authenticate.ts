// Who is calling, and whether he may now: a key in X-API-Key, as a bearer token, or as the user name of HTTP basic
// (spec, "Authentication"), or without a key a session of the dashboard; counted by key or user, or by address where
// neither answers for the request (spec, "Limits").
import { type Caller, type Power, requirePower } from "#core/api-keys.ts";
import { authenticationRequired, forbidden, ServiceError } from "#core/errors.ts";
import type { ClientAddress } from "./client-address.ts";
import { type LimitedEndpoint, type RateLimits, refusalOf, showVerdict } from "./rate-limits.ts";
import type { Visit } from "./visit.ts";

function keyOf(headers: Headers): string | undefined {
  const own = headers.get("x-api-key")?.trim();
  if (own) return own;
  const [scheme = "", credentials = ""] = headers.get("authorization")?.trim().split(/\s+/, 2) ?? [];
  if (/^bearer$/i.test(scheme)) return credentials || undefined;
  if (/^basic$/i.test(scheme)) {
    const [user] = Buffer.from(credentials, "base64").toString("utf8").split(":", 1);
    return user || undefined;
  }
  return undefined;
}

export const FOR_USERS =
  "API keys are managed by people: sign in to the dashboard, or use the command line. A key cannot make keys.";

/** What an operation asks of its caller. */
export type Demand = {
  endpoint?: LimitedEndpoint;
  power: Power;
  /** Whether it is for people in the dashboard alone. */
  userOnly?: boolean;
};

type Visitor = Pick<Visit, "request" | "server" | "set">;

export class Admission {
  constructor(
    private readonly findCaller: (key: string) => Caller | undefined | Promise<Caller | undefined>,
    private readonly limits: RateLimits,
    private readonly addressOf: ClientAddress,
    /** Undefined where there is no dashboard. */
    private readonly findSessionCaller?: (request: Request) => Promise<Caller | undefined>,
  ) {}

  /**
   * Lets a request in by its key, or by its session where it has no key.
   * @throws ServiceError 401 without a key, 403 with one that does not open this, 429 past a limit
   */
  async byKey(visit: Visit, demand: Demand): Promise<Caller> {
    const key = keyOf(visit.request.headers);
    if (key === undefined) return this.#bySession(visit, demand);
    const found = this.findCaller(key);
    const caller = found instanceof Promise ? await this.#orShowAddress(visit, found) : found;
    if (!caller) {
      return this.#refuse(
        visit,
        forbidden("This API key is not valid. Check it in the dashboard, or use another."),
      );
    }
    return this.#admit(visit, caller, demand);
  }

  async #bySession(visit: Visit, demand: Demand): Promise<Caller> {
    const found = this.findSessionCaller?.(visit.request);
    if (!found) return this.#refuse(visit, authenticationRequired());
    let caller: Caller | undefined;
    try {
      caller = await this.#orShowAddress(visit, found);
    } catch (error) {
      return error instanceof ServiceError && error.status < 500
        ? this.#refuse(visit, error)
        : Promise.reject(error);
    }
    return caller ? this.#admit(visit, caller, demand) : this.#refuse(visit, authenticationRequired());
  }

  async #admit(visit: Visit, caller: Caller, { endpoint, power, userOnly }: Demand): Promise<Caller> {
    visit.caller = caller;
    const verdict = await this.limits.takeForCaller(caller, endpoint);
    showVerdict(visit.set.headers, verdict);
    if (verdict.refused) throw refusalOf(verdict);
    if (userOnly && !caller.isUser) throw forbidden(FOR_USERS);
    requirePower(caller, power);
    return caller;
  }

  /** The address that a visitor without a key is counted by. */
  visitorOf({ request, server }: Visitor): string {
    return this.addressOf(request, server);
  }

  /** Lets anybody in, counted by address. @throws ServiceError 429 past the limit */
  async byAddress(visitor: Visitor): Promise<void> {
    const verdict = await this.limits.takeForAddress(this.visitorOf(visitor));
    showVerdict(visitor.set.headers, verdict);
    if (verdict.refused) throw refusalOf(verdict);
  }

  async #refuse(visitor: Visitor, refusal: ServiceError): Promise<never> {
    await this.byAddress(visitor);
    throw refusal;
  }

  /** That keys cannot be looked up is not the caller's doing: he is shown where he stands, and not counted. */
  async #orShowAddress<T>({ request, server, set }: Visitor, found: Promise<T>): Promise<T> {
    try {
      return await found;
    } catch (error) {
      showVerdict(set.headers, await this.limits.ofAddress(this.addressOf(request, server)));
      throw error;
    }
  }
}
